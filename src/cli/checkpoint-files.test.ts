/**
 * `--checkpoint`, `--checkpoint-every` and `--resume`: a resumed run equals one without a stop; a save interrupted
 * anywhere leaves the previous checkpoint.
 */
import { spawnSync } from 'node:child_process';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Report } from '../protocol/report';
import { loadCheckpoint, saveCheckpoint } from './checkpoint-files';
import { temporaryFolder } from './testing/temporary-folder';
import { train } from './train';
import type { TrainOptions } from './train-usage';

const file = temporaryFolder();

const RUN = {
  device: 'cpu',
  model: { layers: [{ type: 'Linear', in: 2, out: 4 }, { type: 'Dropout' }, { type: 'Linear', in: 4, out: 1 }] },
  optimizer: { type: 'AdamW' },
  data: { type: 'xor', samples: 40 },
  batchSize: 8,
  mode: 'ddp',
  worldSize: 2,
  steps: 12,
};

async function run(config: object, options: Partial<TrainOptions> = {}, stopAt?: number): Promise<Report> {
  await writeFile(file('run.json'), JSON.stringify({ ...RUN, ...config }));
  const abort = new AbortController();
  if (stopAt !== undefined) abort.abort();
  await train(
    {
      preset: undefined,
      config: file('run.json'),
      device: undefined,
      browser: false,
      out: file('report.json'),
      trace: undefined,
      clock: 'measured',
      save: undefined,
      dataset: undefined,
      checkpoint: undefined,
      checkpointEvery: undefined,
      resume: undefined,
      faults: [],
      maxRestarts: undefined,
      flightRecorder: undefined,
      quiet: true,
      ...options,
    },
    abort.signal,
  );
  return JSON.parse(await readFile(file('report.json'), 'utf8')) as Report;
}

test('five steps, and the rest from the checkpoint, are the twelve steps', async () => {
  const straight = await run({});
  await run({ steps: 5 }, { checkpoint: file('ckpt') });
  expect((await readdir(file())).filter((name) => name.startsWith('ckpt')).toSorted()).toEqual([
    'ckpt.safetensors',
    'ckpt.state.safetensors',
  ]);
  const resumed = await run({ placement: 'workers' }, { resume: file('ckpt') });
  expect(resumed.losses).toEqual(straight.losses.slice(5));
  expect(resumed.weightsSha256).toBe(straight.weightsSha256);
  expect(resumed.notices.map((n) => n.id)).toContain('resumed');
  // The checkpoint named in the configuration, relative to that file.
  expect((await run({ resume: 'ckpt' })).weightsSha256).toBe(straight.weightsSha256);
});

test('every four steps; a run that is stopped leaves a checkpoint, too', async () => {
  await run({ steps: 6 }, { checkpoint: file('ckpt'), checkpointEvery: 4 });
  const resumed = await run({ steps: 7 }, { resume: file('ckpt') });
  expect(resumed.losses.map((l) => l.step)).toEqual([6]);
  const stopped = await run({}, { resume: file('ckpt'), checkpoint: file('stopped') }, 0);
  expect(stopped.error?.code).toBe('aborted');
  const rest = await run({}, { resume: file('stopped') });
  expect(rest.losses[0]?.step).toBe(6);
});

test('says that nothing is left to run, or that there is no checkpoint', async () => {
  await run({ steps: 3 }, { checkpoint: file('ckpt') });
  await expect(run({ steps: 3 }, { resume: file('ckpt') })).rejects.toThrow('no step is left to run');
  await expect(run({}, { resume: file('none') })).rejects.toThrow(/cannot read the checkpoint: .*none/);
});

test('after an interruption between the two renames the previous save is loaded, and the next save does not lose it', async () => {
  const bytes = async (base: string) => ({
    model: new Uint8Array(await readFile(file(`${base}.safetensors`))),
    state: new Uint8Array(await readFile(file(`${base}.state.safetensors`))),
  });
  await run({ steps: 3 }, { checkpoint: file('ckpt') });
  const old = await bytes('ckpt');
  await run({ steps: 4 }, { checkpoint: file('next') });
  const next = await bytes('next');
  // The state in which saveCheckpoint leaves the files if the process dies after the first rename.
  await link(file('ckpt.safetensors'), file('ckpt.safetensors.previous'));
  await rm(file('ckpt.safetensors'));
  await copyFile(file('next.safetensors'), file('ckpt.safetensors'));
  const names = ['run.safetensors', 'run.state.safetensors'];
  const loaded = async () => {
    const files = await loadCheckpoint(file('ckpt'), 'run');
    return names.map((name) => files[name]);
  };
  expect(await loaded()).toEqual([old.model, old.state]);
  await saveCheckpoint(file('ckpt'), next);
  expect(await loaded()).toEqual([next.model, next.state]);
  expect((await readdir(file())).some((name) => /tmp|previous/.test(name))).toBe(false);
});

test('in shards: a folder with a file for each rank, from which another world goes on', async () => {
  const config = { mode: 'sharded', worldSize: 3 };
  const straight = await run(config);
  await run({ ...config, steps: 5 }, { checkpoint: file('ckpt'), checkpointShards: true, checkpointEvery: 2 });
  expect((await readdir(file())).filter((name) => name.startsWith('ckpt'))).toEqual(['ckpt']);
  expect((await readdir(file('ckpt'))).toSorted()).toEqual(
    ['index.json', ...[0, 1, 2].map((rank) => `rank${rank}.safetensors`)].toSorted(),
  );
  const resumed = await run(config, { resume: file('ckpt') });
  expect(resumed.losses).toEqual(straight.losses.slice(5));
  expect(resumed.weightsSha256).toBe(straight.weightsSha256);
  const other = await run({ mode: 'ddp', worldSize: 2 }, { resume: file('ckpt') });
  expect(other.losses.map(({ step }) => step)).toEqual([5, 6, 7, 8, 9, 10, 11]);
});

test('in shards: after an interruption between the two renames the previous save is loaded', async () => {
  const config = { mode: 'sharded', worldSize: 2 };
  await run({ ...config, steps: 3 }, { checkpoint: file('ckpt'), checkpointShards: true });
  await rename(file('ckpt'), file('ckpt.previous'));
  const resumed = await run({ ...config, steps: 4 }, { resume: file('ckpt') });
  expect(resumed.losses.map(({ step }) => step)).toEqual([3]);
  await run({ ...config, steps: 5 }, { checkpoint: file('ckpt'), checkpointShards: true });
  expect((await readdir(file())).filter((name) => name.startsWith('ckpt'))).toEqual(['ckpt']);
});

test('in shards: a folder or file of another kind is never replaced', async () => {
  await mkdir(file('mine'));
  await writeFile(file('mine/thesis.txt'), 'years of work');
  const save = run({ mode: 'sharded' }, { checkpoint: file('mine'), checkpointShards: true });
  await expect(save).rejects.toThrow('a file or folder of that name exists and is not a checkpoint in shards');
  expect(await readFile(file('mine/thesis.txt'), 'utf8')).toBe('years of work');
});

test('a folder that is not there', async () => {
  const empty = new Uint8Array();
  await expect(saveCheckpoint(file('no/ckpt'), { model: empty, state: empty })).rejects.toThrow(
    'cannot write the checkpoint',
  );
});

test('a save removes the files of a killed save, and keeps files that a running process writes', async () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const left = [`ckpt.safetensors.${gone}.tmp`, `ckpt.state.safetensors.${gone}.tmp`];
  const kept = [`ckpt.safetensors.${process.ppid}.tmp`, `other.safetensors.${gone}.tmp`, 'ckpt.safetensors.x.tmp'];
  for (const name of [...left, ...kept]) await writeFile(file(name), 'half');
  await run({ steps: 2 }, { checkpoint: file('ckpt') });
  const names = await readdir(file());
  for (const name of left) expect(names).not.toContain(name);
  expect(names).toEqual(expect.arrayContaining(kept));
});
