/**
 * The bytes that every mode sends, counted in its Programs, are those of the closed form: for every preset, world size
 * and algorithm of all-reduce, in every kind of step that a run has.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { findProgram } from '../program/program-of';
import { ALGORITHM_NAMES } from '../protocol/collective';
import { type ConfigInput, type LayerInput, MODES } from '../protocol/config';
import { mlpLayers, PRESETS, type PresetName } from '../protocol/presets';
import { CONSTRUCT, kindLabel, type ProgramKey, programKey, type StepKind } from '../protocol/step-kind';
import { closedFormOf, isSpoken } from '../trace/formula';
import { countTraffic } from '../trace/links';
import { bytesAgree } from '../trace/metrics';
import { createBlueprint } from './blueprint';

/** What disagrees in the first steps of a run, and in its constructor. */
function disagreements(input: ConfigInput, steps = 40): readonly string[] {
  const blueprint = createBlueprint(parseConfig({ compareSingle: false, ...input }), {});
  const batches = blueprint.batches();
  const kinds = new Map<ProgramKey, StepKind>();
  for (let step = 0; step < Math.min(steps, 2 * blueprint.batchesPerEpoch); step++) {
    const kind = blueprint.kindOf(batches.next());
    kinds.set(programKey(kind), kind);
  }
  if (blueprint.facets.facts.constructForm) kinds.set(programKey(CONSTRUCT), CONSTRUCT);
  return [...kinds].flatMap(([key, kind]) => {
    const program = findProgram(blueprint.programs, key);
    if (!program && kind.type === 'construct') return [];
    const { lanes } = must(program, 'program');
    const expected = must(closedFormOf(blueprint.facts.closedForms, kind), 'closed form');
    const spoken = lanes.flatMap(({ device, instructions }) =>
      instructions.flatMap((i) =>
        (i.kind === 'send' || i.kind === 'recv') && isSpoken(expected, i) ? [{ ...i, device }] : [],
      ),
    );
    const counted = countTraffic(spoken, lanes.length);
    return bytesAgree(counted, expected)
      ? []
      : [
          `${kindLabel(kind)}: counted ${counted.sent.join()}, expected ${expected.perDevice.join()} by ${expected.text}`,
        ];
  });
}

/** Small enough to compile often: the data of a preset, cut to a few batches with a short last one. */
function smaller(name: PresetName): ConfigInput {
  const { config } = PRESETS[name];
  const { data, batchSize } = config;
  return data.type === 'text' ? config : { ...config, data: { ...data, samples: 3 * batchSize + 5 } };
}

const NAMES = Object.keys(PRESETS) as PresetName[];

/** The one with the fewest layers. */
const IN_QUICK: PresetName = 'mlp';
const otherNets = (name: PresetName) =>
  place(name === IN_QUICK ? {} : { rest: `the closed forms are those of preset ${IN_QUICK}, with other sizes` });

for (const name of NAMES)
  describe(`preset ${name}`, otherNets(name), () => {
    test.each(MODES)('%s', (mode) => {
      // The smallest preset has two layers with weights, the last batch five rows.
      const cutsModel = mode === 'modelParallel' || mode === 'pipeline';
      const pipeline = { microBatches: 3 };
      for (const worldSize of cutsModel ? [1, 2] : [1, 2, 3, 4])
        expect(disagreements({ ...smaller(name), mode, worldSize, pipeline }), `${worldSize} devices`).toEqual([]);
    });

    test.each(['tensor', 'pipeline'] as const)('%s on a mesh with replicas and cut layers', (mode) => {
      const mesh = { ...(mode === 'pipeline' ? { pp: 2 } : {}), dpReplicate: 2, tp: 2 };
      const ddp = { algorithm: 'naive' } as const;
      expect(disagreements({ ...smaller(name), mode, mesh, ddp, pipeline: { microBatches: 3 } })).toEqual([]);
    });

    test.each<NonNullable<ConfigInput['sharded']>>([
      { stage: 1 },
      { stage: 2 },
      { reshardTo: 2, reshardAfterForward: true },
    ])('shards and replicas of them: %j', (sharded) => {
      const mesh = { dpReplicate: 2, dpShard: 4 };
      const ddp = { algorithm: 'naive' } as const;
      expect(disagreements({ ...smaller(name), mode: 'sharded', mesh, ddp, sharded })).toEqual([]);
    });

    test.each(ALGORITHM_NAMES)('DDP by %s', (algorithm) => {
      for (const worldSize of [2, 4])
        expect(disagreements({ ...smaller(name), mode: 'ddp', worldSize, nodes: 2, ddp: { algorithm } })).toEqual([]);
    });
  });

/** The output layer shares the embedding's weight. */
const tied = (layers: readonly LayerInput[]): LayerInput[] =>
  layers.map((layer) => (layer.type === 'Linear' ? { ...layer, bias: false, tied: 'tok.weight' } : layer));

const NORM: ConfigInput['model'] = {
  layers: [
    { type: 'Linear', in: 2, out: 8 },
    { type: 'BatchNorm1d', features: 8 },
    { type: 'Tanh' },
    { type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 3 }] },
    { type: 'Linear', in: 8, out: 8 },
    { type: 'Linear', in: 8, out: 1 },
  ],
};
/** Rows that divide by no number of ranks. */
const TANH: ConfigInput = { model: { layers: mlpLayers([2, 5, 3, 1], 'Tanh') } };
const XOR: ConfigInput = { model: NORM, data: { type: 'xor', samples: 84 }, batchSize: 36, worldSize: 3 };

test.each<ConfigInput>([
  { mode: 'dataParallel', accumulate: 3 },
  { mode: 'dataParallel', worldSize: 4, batchSize: 12, dropLast: true, precision: 'autocast-fp16' },
  { mode: 'parameterServer', precision: 'autocast-bf16' },
  { mode: 'ddp', precision: 'bf16', ddp: { findUnusedParameters: true } },
  { ...TANH, mode: 'ddp', precision: 'bf16', ddp: { algorithm: 'naive', bucketCapMb: 0.00002 } },
  ...[0, 1, 2, 3].map((stage): ConfigInput => ({ ...TANH, mode: 'sharded', precision: 'bf16', sharded: { stage } })),
  { mode: 'dataParallel', worldSize: 8, batchSize: 10, data: { type: 'xor', samples: 80 } },
  { mode: 'modelParallel', accumulate: 2, clipGradNorm: 1, modelParallel: { split: [2, 3, 1] } },
  { mode: 'modelParallel', gradScaler: { enabled: true }, modelParallel: { split: [2, 3, 1] } },
  { mode: 'pipeline', gradScaler: { enabled: true }, clipGradNorm: 1 },
  { mode: 'pipeline', pipeline: { microBatches: 4, split: [2, 3, 1] } },
  { mode: 'pipeline', mesh: { dp: 3 }, pipeline: { microBatches: 2 } },
  { mode: 'pipeline', mesh: { pp: 3, dp: 2 }, worldSize: 6, ddp: { algorithm: 'naive' }, dropLast: true },
  {
    mode: 'pipeline',
    worldSize: 2,
    model: { layers: mlpLayers([2, 4, 4, 4, 1], 'Tanh') },
    pipeline: { schedule: 'ZBVZeroBubble', microBatches: 3 },
  },
  {
    mode: 'pipeline',
    mesh: { pp: 2, dp: 2 },
    worldSize: 4,
    model: { layers: mlpLayers([2, 4, 4, 4, 1], 'Tanh') },
    pipeline: { schedule: 'InterleavedZeroBubble', microBatches: 4 },
  },
  ...[{ pp: 3 }, { pp: 2, dp: 2 }].map(
    (mesh): ConfigInput => ({
      ...PRESETS.gpt.config,
      mode: 'pipeline',
      worldSize: mesh.pp * (mesh.dp ?? 1),
      mesh,
      ddp: { algorithm: 'naive' },
      model: { layers: tied(PRESETS.gpt.config.model?.layers ?? []) },
      batchSize: 8,
      dropLast: true,
      pipeline: { microBatches: 4 },
    }),
  ),
  { mode: 'modelParallel', precision: 'autocast-bf16', modelParallel: { split: [2, 3, 1] } },
  { mode: 'pipeline', precision: 'autocast-fp16', pipeline: { microBatches: 4, split: [2, 3, 1] } },
  {
    mode: 'sharded',
    model: { layers: mlpLayers([2, 4, 4, 4, 1], 'Tanh') },
    precision: 'autocast-bf16',
    gradScaler: { enabled: true },
    clipGradNorm: 1,
  },
  ...[{ paramDtype: 'bfloat16' as const }, { paramDtype: 'float16' as const, reduceDtype: 'float32' as const }].flatMap(
    (policy): ConfigInput[] => [
      { ...TANH, mode: 'sharded', sharded: policy },
      {
        ...TANH,
        mode: 'sharded',
        worldSize: 4,
        mesh: { dpReplicate: 2 },
        sharded: { ...policy, reshardAfterForward: true },
      },
      { ...TANH, mode: 'sharded', worldSize: 4, sharded: { ...policy, reshardTo: 2 } },
    ],
  ),
  // A module that is never called is neither gathered nor reduced.
  { mode: 'sharded', sharded: { reduceDtype: 'bfloat16' } },
  { mode: 'sharded', sharded: { modules: ['0', '4'] } },
  { mode: 'pipeline', worldSize: 4, mesh: { pp: 2, dpShard: 2 }, pipeline: { microBatches: 4 } },
  { mode: 'parameterServer', accumulate: 3 },
  { mode: 'parameterServer', parameterServer: { synchronous: false, staleness: 3 } },
  { mode: 'ddp', accumulate: 2, ddp: { findUnusedParameters: true } },
  { mode: 'ddp', accumulate: 2, ddp: { findUnusedParameters: true, noSync: 'none', syncBatchNorm: true } },
  { mode: 'ddp', worldSize: 2, ddp: { findUnusedParameters: true, join: true, samplesPerRank: [52, 32] } },
])('bytes of %o', (config) => {
  expect(disagreements({ ...XOR, ...config })).toEqual([]);
});

test.each(['modelParallel', 'pipeline'] as const)('%s under autocast sends half as much', (mode) => {
  const bytesOf = (precision: ConfigInput['precision']): number => {
    const config: ConfigInput = { mode, precision, worldSize: 2, batchSize: 32, dropLast: true, compareSingle: false };
    const { facts, programs } = createBlueprint(parseConfig({ ...config, pipeline: { microBatches: 4 } }), {});
    const { perDevice } = must(closedFormOf(facts.closedForms, must(programs[0], 'program').kind), 'closed form');
    return perDevice.reduce((sum, bytes) => sum + bytes, 0);
  };
  expect(bytesOf('autocast-bf16')).toBe(bytesOf('float32') / 2);
});
