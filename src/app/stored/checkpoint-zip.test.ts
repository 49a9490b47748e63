/**
 * A checkpoint as a .zip and back; files that are not checkpoints are left to other readers; and the configuration of a
 * dropped checkpoint.
 */
import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { openTestSession } from '../../session/testing/open-session';
import { writeCheckpoint } from '../../training/checkpoint/checkpoint-file';
import { shardFiles } from '../../training/checkpoint/shard-files';
import { NET, savedAfter, withTraining } from '../../training/testing/checkpoint-runs';
import { PAGE_CONFIG } from '../edit/page-config';
import { takeFiles } from '../looks/take-files';
import { checkpointAmong, zipOf, zipOfShards } from './checkpoint-zip';
import { withCheckpoint, withoutCheckpoint } from './with-checkpoint';

const files = { model: Uint8Array.of(1, 2), state: Uint8Array.of(3) };

test('is written and read back with its name; both files in a folder work, too', () => {
  expect(checkpointAmong({ 'any.zip': zipOf('my run', files) })).toEqual({ name: 'my run', files });
  expect(checkpointAmong({ 'a/x.safetensors': files.model, 'a/x.state.safetensors': files.state })).toEqual({
    name: 'x',
    files,
  });
});

test('half a checkpoint, and a zip of something else, are refused', () => {
  expect(checkpointAmong({ 'x.state.safetensors': files.state })).toBeUndefined();
  expect(checkpointAmong({ 'x.safetensors': files.model })).toBeUndefined();
  expect(checkpointAmong({ 'x.safetensors': files.model, 'y.state.safetensors': files.state })).toBeUndefined();
});

test('in shards: a .zip of the folder, or its files', async () => {
  const saved = await withTraining({ ...NET, mode: 'sharded' }, {}, async (training) => {
    const whole = writeCheckpoint(training.blueprint, await training.checkpoint());
    return { whole, shards: shardFiles(whole, training.blueprint) };
  });
  const { whole, shards } = saved;
  const inFolder = Object.fromEntries(Object.entries(shards).map(([name, bytes]) => [`my run/${name}`, bytes]));
  expect(checkpointAmong({ 'any.zip': zipSync(inFolder) })).toEqual({ name: 'my run', files: whole });
  expect(checkpointAmong(shards)).toEqual({ name: 'checkpoint', files: whole });
  expect(checkpointAmong({ 'pictures.zip': zipSync({ 'index.json': new Uint8Array(2) }) })).toBeUndefined();
});

test('saved in shards by the page: the command line finds its files, and the page joins them', async () => {
  const s = await openTestSession({ ...NET, mode: 'sharded', worldSize: 2 });
  await s.api.traceStep();
  const zip = zipOfShards('my run', await s.api.saveShards());
  expect(Object.keys(unzipSync(zip)).filter((name) => !name.endsWith('/'))).toEqual(
    ['index.json', 'rank0.safetensors', 'rank1.safetensors'].map((file) => `my run/${file}`),
  );
  expect(checkpointAmong({ 'run.zip': zip })).toEqual({ name: 'my run', files: await s.api.saveCheckpoint() });
  const atStart = checkpointAmong({ 'run.zip': zipOfShards('run', await s.api.saveShards({ atStart: true })) });
  expect(atStart?.files).toEqual(await s.api.saveCheckpoint({ atStart: true }));
  await s.close();
});

test('dropped on the page it brings its settings; where the run computes stays', async () => {
  const saved = await savedAfter({ ...NET, mode: 'ddp', weights: undefined, placement: 'workers' }, 2);
  const [model, state] = [must(saved['run.safetensors'], 'model'), must(saved['run.state.safetensors'], 'state')];
  const taking = await takeFiles(PAGE_CONFIG, { 'run.zip': zipOf('run', { model, state }) });
  const { config, files: taken } = must(taking.ok ? taking.taken : undefined, 'taken');
  expect(config).toMatchObject({
    resume: 'run',
    seed: 3,
    worldSize: 2,
    batchSize: 8,
    device: 'auto',
    placement: 'shared',
  });
  expect(taken).toEqual(saved);
  const named = { name: 'run', files: { model, state } };
  expect(withCheckpoint(PAGE_CONFIG, named, 'page').config).toEqual({ ...PAGE_CONFIG, resume: 'run' });
  expect(withoutCheckpoint({ ...PAGE_CONFIG, resume: 'run' })).toEqual(PAGE_CONFIG);
});
