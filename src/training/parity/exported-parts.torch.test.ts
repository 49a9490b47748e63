/**
 * train.py of models that are spread over ranks (fully_shard, parallelize_module, both, and DistributedDataParallel
 * around them) saves whole tensors and resumes from them: in PyTorch it reaches the weights of the run without a stop,
 * its checkpoint has the tensors of Lockstep's, and it resumes from Lockstep's. Needs a torch with DTensor (2.6).
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { exportFiles } from '../../headless/export-run';
import { runConfig } from '../../headless/run';
import { readSafetensors } from '../../interop/safetensors';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import type { Files } from '../../protocol/session';
import { savedAfter } from '../testing/checkpoint-runs';
import { gptLayers } from '../testing/recorded-runs';
import { exportedScript, pythonWithTorch, runTorchScripts, sayNoTorch } from '../testing/torch-scripts';

const STEPS = 7;
/** In the middle of an epoch of 4 steps. */
const SAVED_AFTER = 5;
const BAR = 1e-5;
const FILES = ['run.safetensors', 'run.state.safetensors'];

const RUN: ConfigInput = { device: 'cpu', compareSingle: false, seed: 2, steps: STEPS };
/** Odd sizes: parts of different sizes, and ranks without any row of a tensor. */
const MLP: ConfigInput = {
  ...RUN,
  model: { layers: mlpLayers([2, 6, 5, 1], 'Tanh') },
  data: { type: 'xor', samples: 48, testFraction: 0 },
  batchSize: 12,
  dropLast: true,
  optimizer: { type: 'AdamW', lr: 0.01 },
};
/** Packed queries, keys and values, whose rows train.py regroups by rank. */
const GPT: ConfigInput = {
  ...RUN,
  mode: 'tensor',
  model: { layers: gptLayers({ V: 12, T: 8, D: 16, H: 4, L: 1 }) },
  loss: { type: 'CrossEntropyLoss' },
  data: { type: 'text', text: 'the cat saw a hat; '.repeat(14), context: 8 },
  batchSize: 8,
  dropLast: true,
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
};

/** Behind a cut activation, and behind a whole one. */
const DROPPED = mlpLayers([2, 6, 4, 6, 1], 'Tanh').flatMap((layer): LayerInput[] =>
  layer.type === 'Tanh' ? [layer, { type: 'Dropout', p: 0.25 }] : [layer],
);

const PIPELINE = { mode: 'pipeline', pipeline: { microBatches: 2 } } as const;

type Case = readonly [name: string, config: ConfigInput];

const CASES: readonly Case[] = [
  ['fully_shard on 4 ranks', { ...MLP, mode: 'sharded', worldSize: 4 }],
  ['ZeRO stage 1', { ...MLP, mode: 'sharded', worldSize: 2, sharded: { stage: 1 } }],
  ['fully_shard on 2 ranks, 2 replicas', { ...MLP, mode: 'sharded', mesh: { dpShard: 2, dpReplicate: 2 } }],
  ['heads on 2 ranks', { ...GPT, mesh: { tp: 2 } }],
  ['heads on 2 ranks, 2 replicas', { ...GPT, mesh: { tp: 2, dpReplicate: 2 } }],
  ['dropout on 2 ranks', { ...MLP, mode: 'tensor', mesh: { tp: 2 }, model: { layers: DROPPED } }],
  [
    'dropout on 2 ranks, fully_shard on 2',
    { ...MLP, mode: 'tensor', mesh: { tp: 2, dpShard: 2 }, model: { layers: DROPPED } },
  ],
  ['heads on 2 ranks, fully_shard on 2', { ...GPT, mesh: { tp: 2, dpShard: 2 } }],
  ['heads on 2 ranks, 2 replicas, clipped', { ...GPT, mesh: { tp: 2, dpReplicate: 2 }, clipGradNorm: 0.5 }],
  ['a pipeline of heads', { ...GPT, ...PIPELINE, mesh: { pp: 2, tp: 2 }, clipGradNorm: 0.5 }],
  [
    'a pipeline of heads, 2 replicas',
    { ...GPT, ...PIPELINE, mesh: { pp: 2, tp: 2, dpReplicate: 2 }, clipGradNorm: 0.5 },
  ],
  ['a pipeline of heads, fully_shard on 2', { ...GPT, ...PIPELINE, mesh: { pp: 2, tp: 2, dpShard: 2 } }],
  ['a pipeline with dropout', { ...MLP, ...PIPELINE, mesh: { pp: 2, dpReplicate: 2 }, model: { layers: DROPPED } }],
  ...['0.*', '4.*'].map(
    (match): Case => [
      `a pipeline with a group of parameters ${match}, which one stage lacks`,
      { ...MLP, ...PIPELINE, mesh: { pp: 2 }, paramGroups: [{ match, lr: 0.02, weightDecay: 0 }] },
    ],
  ),
  [
    'a pipeline with fully_shard',
    { ...MLP, mode: 'pipeline', mesh: { pp: 2, dpShard: 2 }, pipeline: { microBatches: 2 } },
  ],
];

const python = pythonWithTorch('torch.distributed.tensor.parallel');

if (python === undefined)
  test('no PyTorch with DTensor on this machine', () =>
    sayNoTorch(`${CASES.length} exported runs did not save and resume the parts of their ranks.`, {
      module: 'torch.distributed.tensor.parallel (torch 2.6)',
      more: CASES.map(([name]) => name),
    }));
else describe('models spread over ranks', inPyTorch);

function inPyTorch(): void {
  test.each(CASES)('%s', { timeout: 400_000 }, async (_, config) => {
    const saved = await savedAfter(config, SAVED_AFTER);
    const [begun, resumed] = await Promise.all([
      exportFiles(config, {}),
      exportFiles({ ...config, resume: 'run' }, saved),
    ]);
    const base = exportedScript(begun);
    const last = await savedAfter(config, STEPS);
    const run = (args: readonly string[], files: Files = {}, of = base) => ({
      ...of,
      files: { ...of.files, ...files },
      args: ['--quiet', '--device', 'cpu', '--checkpoint', 'run', ...args],
      gives: FILES,
    });
    const outputs = trained([run([]), run(['--steps', String(SAVED_AFTER)]), run([], {}, exportedScript(resumed))]);
    const [straight, stopped, ofLockstep] = [0, 1, 2].map((i) => at(outputs, i));
    expect(differences(straight, last), 'without a stop').toEqual([]);
    expect(differences(stopped, saved), 'what it saved').toEqual([]);
    expect(differences(ofLockstep, last), "resumed from Lockstep's checkpoint").toEqual([]);
    const [more] = trained([run(['--resume', 'run'], stopped)]);
    expect(differences(more, last), 'resumed from its own checkpoint').toEqual([]);
  });

  const SCALED: ConfigInput = {
    ...{ ...MLP, precision: 'autocast-fp16' },
    gradScaler: { enabled: true, initScale: 2 ** 24, growthInterval: 1 },
  };
  test.each<readonly [string, ConfigInput]>([
    ['one device', SCALED],
    ['fully_shard on 2 ranks', { ...SCALED, mode: 'sharded', worldSize: 2 }],
    ['2 tensor ranks', { ...SCALED, mode: 'tensor', mesh: { tp: 2 } }],
    ['SGD, which counts no steps', { ...SCALED, optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 } }],
  ])('the scale of a GradScaler: %s', { timeout: 400_000 }, async (_, config) => {
    const script = exportedScript(await exportFiles({ ...config, resume: 'run' }, await savedAfter(config, 3)));
    const [after] = trained([{ ...script, args: ['--quiet', '--device', 'cpu', '--checkpoint', 'run'], gives: FILES }]);
    const own = scalerIn(await savedAfter(config, STEPS));
    expect(own.get('scaler.skipped')).toBeGreaterThan(0);
    expect(own.get('scaler.scale')).not.toBe(2 ** 24);
    expect(scalerIn(after)).toEqual(own);
  });

  test('a save before the first step that is taken, resumed here', { timeout: 400_000 }, async () => {
    const script = exportedScript(await exportFiles(SCALED, {}));
    const args = ['--quiet', '--device', 'cpu', '--checkpoint', 'run', '--steps', '2'];
    const [stopped] = trained([{ ...script, args, gives: FILES }]);
    expect(scalerIn(stopped).get('scaler.skipped')).toBe(2);
    const resumed = await runConfig({ ...SCALED, resume: 'run' }, must(stopped, 'its files'));
    const straight = await runConfig(SCALED, {});
    expect(resumed.report.losses.map(({ loss }) => loss)).toEqual(
      straight.report.losses.slice(2).map(({ loss }) => loss),
    );
  });
}

const scalerIn = (files: Files | undefined): ReadonlyMap<string, number> =>
  new Map(
    tensorsOf(files, FILES[1] ?? '').flatMap(({ name, data }) =>
      name.startsWith('scaler.') ? [[name, Number(data[0])]] : [],
    ),
  );

function trained(scripts: Parameters<typeof runTorchScripts>[1]): readonly Files[] {
  const { outputs } = runTorchScripts(python ?? '', scripts);
  expect(outputs.map(({ error }) => error)).toEqual(scripts.map(() => null));
  return outputs.map(({ files }) =>
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, new Uint8Array(Buffer.from(text, 'base64'))]),
    ),
  );
}

/** The tensors of a checkpoint of train.py that are not those of Lockstep's: weights, and states of the optimizer. */
function differences(found: Files | undefined, expected: Files): readonly string[] {
  return FILES.flatMap((file) => {
    const theirs = new Map(tensorsOf(found, file).map((tensor) => [tensor.name, tensor]));
    return tensorsOf(expected, file)
      .filter(({ name }) => file === FILES[0] || /^state\.\d/.test(name))
      .flatMap(({ name, data, shape }) => {
        const other = theirs.get(name);
        if (other === undefined) return [`no ${name} in ${file}`];
        if (other.data.length !== data.length) return [`${name} has the shape ${other.shape}, not ${shape}`];
        const far = Math.max(
          0,
          ...Array.from({ length: data.length }, (_, i) => Math.abs(Number(data[i]) - Number(other.data[i]))),
        );
        return far <= BAR ? [] : [`${name} is ${far} off`];
      });
  });
}

const tensorsOf = (files: Files | undefined, file: string): ReturnType<typeof readSafetensors> =>
  readSafetensors(file, new Uint8Array(files?.[file] ?? new Uint8Array()));

test('rows of queries, keys and values, by ranks and back', place({ rest: 'the runs above, with torch 2.6' }), () => {
  const any = pythonWithTorch();
  if (any === undefined) return sayNoTorch('rows of heads were not regrouped.');
  return exportFiles({ ...GPT, mesh: { tp: 2 } }, {}).then(({ files }) => {
    const code = `${String(files['parts.py'])}
x = torch.arange(24.0).reshape(12, 2)  # 4 rows each of queries, keys and values
parts = rows_by_rank(x, 2)
print(*(float(v) for v in parts[:, 0]))
assert torch.equal(rows_by_kind(parts, 2), x)
`;
    const { outputs } = runTorchScripts(any, [{ code, processes: 1, files: {} }]);
    expect(at(outputs, 0).error).toBeNull();
    expect(at(outputs, 0).printed[0]).toEqual([0, 2, 8, 10, 16, 18, 4, 6, 12, 14, 20, 22]);
  });
});
