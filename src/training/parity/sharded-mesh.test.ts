/**
 * fully_shard beside tp and around the stages of a pipeline on the CPU device against PyTorch 2.13: losses, first
 * gradients, final parameters, what each rank keeps, and the collectives of a step with their sizes in their order.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { Instruction, Lane } from '../../program/instruction';
import type { ConfigInput } from '../../protocol/config';
import { gptLayers, mlpLayers } from '../../protocol/presets';
import { pieceShape } from '../../sharding/piece';
import { pieceOn } from '../../sharding/shard-map';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { runParity } from '../testing/run-parity';
import { SHARDED_MESH_CASES } from '../testing/sharded-mesh-cases';
import { TENSOR_CASES } from '../testing/tensor-cases';
import { differenceFromSingle } from '../weights/weight-differences';

test('all recorded runs are there', () => expect(SHARDED_MESH_CASES).toHaveLength(6));

type Call = readonly [name: string, given: number, made: number];

/** As torch logs them: what the rank gives and gets, in elements. Messages between stages are no collectives. */
function collectivesOf({ instructions }: Lane): readonly Call[] {
  const seen = new Set<string>();
  return instructions.flatMap((each) => {
    const found = callOf(each);
    if (!found || seen.has(found.key)) return [];
    seen.add(found.key);
    return [found.call];
  });
}

function callOf(each: Instruction): { readonly key: string; readonly call: Call } | undefined {
  if ((each.kind !== 'send' && each.kind !== 'recv') || !each.collective) return undefined;
  const { seq, op, tensor, group } = each.collective;
  const ranks = must(group, 'a group').ranks.length;
  const { length } = must(tensor, 'a tensor');
  const key = `${group?.id} ${seq}`;
  if (op === 'allGather') return { key, call: ['all_gather', length, length * ranks] };
  if (op === 'reduceScatter') return { key, call: ['reduce_scatter', length, length / ranks] };
  return { key, call: ['all_reduce', length, length] };
}

describe.each(SHARDED_MESH_CASES)('$name', (parity) => {
  const { config, recorded } = parity;
  test('the losses, gradients and parameters of PyTorch', place({ modes: ['sharded'] }), async () => {
    const { measured } = await runParity(parity);
    expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
    expect(measured.replicaDivergence).toBe(0);
  });

  const { programs, shards } = createBlueprint(parseConfig({ ...config, device: 'cpu' }), {});
  const { lanes } = at(programs, 0);

  test('rank 0 gathers, reduces and scatters what it does in PyTorch, in the same order', () => {
    const recordedCalls = recorded.log_rank0.map(([name, given, made]) => [name, given, made]);
    expect(collectivesOf(at(lanes, 0))).toEqual(recordedCalls);
  });

  test('every rank has as many collectives as in PyTorch', () => {
    const counts = lanes.map((lane) => {
      const calls = collectivesOf(lane).map(([name]) => name);
      return Object.fromEntries([...new Set(calls)].map((name) => [name, calls.filter((c) => c === name).length]));
    });
    expect(counts).toEqual(recorded.collectives_per_rank);
  });

  test('every rank keeps the rows that it has in PyTorch', () => {
    for (const [name, { local_shapes }] of Object.entries(recorded.parameters)) {
      const layout = must(shards.get(name), name);
      const held = lanes.map(({ device, buffers }) => {
        const piece = pieceOn(layout, device);
        expect(buffers.find((spec) => spec.name === name)?.shape).toEqual(piece && pieceShape(piece));
        return piece ? pieceShape(piece) : null;
      });
      // A rank without rows keeps nothing.
      expect(held, name).toEqual(local_shapes.map((shape) => (shape?.[0] === 0 ? null : shape)));
    }
  });
});

/** The gradients of a layer norm are addends on the ranks of a tensor group. */
test('sequence parallelism in shards: the weights of one device, and every group sums what is partial', async () => {
  const { config } = must(
    TENSOR_CASES.find(({ name }) => /tp 2.*SequenceParallel/.test(name)),
    'a recorded plan with sequence parallelism',
  );
  const { worldSize: _, ...rest } = config;
  const own = { ...rest, mode: 'sharded', mesh: { dpShard: 2, tp: 2 }, device: 'cpu' } as const;
  const training = await createTraining(
    createBlueprint(parseConfig({ ...own, optimizer: { type: 'SGD', lr: 0.1 }, clipGradNorm: 0.5 }), {}),
    { keeper: new DeviceKeeper(undefined, true), gpu: undefined },
  );
  await training.run(3);
  const { blueprint } = training;
  expect(differenceFromSingle(blueprint, await training.weights())).toBeLessThanOrEqual(2e-6);
  const partial = at(blueprint.programs, 0).lanes.map((lane) =>
    lane.instructions.filter((each) => each.kind === 'send' && each.slice.buffer.endsWith('ln1.unsharded.weight.grad')),
  );
  for (const sends of partial) expect(sends.length).toBeGreaterThan(0);
  await training.dispose();
});

const TEXT = 'to be or not to be that is the question';
const TIED: ConfigInput = {
  model: {
    layers: gptLayers({ vocab: new Set(TEXT).size, context: 4, width: 8, heads: 2, layers: 2 }).map((layer) =>
      layer.type === 'Linear' ? { ...layer, bias: false, tied: 'tok.weight' } : layer,
    ),
  },
  data: { type: 'text', text: TEXT, context: 4 },
  loss: { type: 'CrossEntropyLoss' },
};

test.each<[ConfigInput, string]>([
  [
    { mesh: { dpShard: 2, tp: 2 }, sharded: { stage: 0 } },
    'only fully_shard, which is stage 2 or 3, shards layers that tp cuts',
  ],
  [
    { mode: 'tensor', mesh: { dpShard: 2, tp: 2 }, sharded: { stage: 1 } },
    'ZeroRedundancyOptimizer shares out the parameters of a whole model',
  ],
  [{ mesh: { pp: 2, dpShard: 2 }, sharded: { stage: 1 } }, 'ZeroRedundancyOptimizer shares out the parameters'],
  [{ mesh: { pp: 2, dpShard: 2 }, sharded: { reshardTo: 2 } }, 'sharded.reshardTo is 2 and mode is "pipeline"'],
  [{ mesh: { pp: 2, dpShard: 2 }, sharded: { modules: ['9'] } }, 'the model has no such layer'],
  [{ ...TIED, mesh: { pp: 2, dpShard: 2 } }, 'share the weight tok.weight, and fully_shard around one stage'],
])('%j is refused', (more, words) => {
  const config: ConfigInput = { device: 'cpu', model: { layers: mlpLayers([2, 6, 6, 1], 'Tanh') }, ...more };
  expect(() => createBlueprint(parseConfig(config), {})).toThrow(words);
});
