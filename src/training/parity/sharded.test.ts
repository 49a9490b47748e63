/**
 * Sharded data parallelism on the CPU device against PyTorch 2.13: losses, first gradients and final parameters, which
 * the ranks hold in shards, and the order of the collectives; and the same bits with a worker for each rank.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { once } from '../../base/once';
import { parseConfig } from '../../config/parse-config';
import { partitionOf } from '../../parallel/sharded/zero-one';
import type { Program } from '../../program/instruction';
import { elements } from '../../tensor/shape';
import { createBlueprint } from '../blueprint';
import zero from '../fixtures/zero-partition.json';
import { runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';
import { FSDP_CASES, type RecordedCall, ZERO1_CASES } from '../testing/sharded-cases';

test('all recorded runs are there', () =>
  expect([FSDP_CASES, ZERO1_CASES].map(({ length }) => length)).toEqual([8, 3]));

const WORKERS = 'parity.test.ts has a worker for each rank in other modes';

for (const parity of [...FSDP_CASES, ...ZERO1_CASES]) {
  const shared = once(() => runParity(parity));

  test(parity.name, place({ modes: ['sharded'] }), async () => {
    const { measured } = await shared();
    expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
    expect(measured.replicaDivergence).toBe(0);
  });

  test(`${parity.name}, in workers: the same bits`, place({ modes: ['sharded'], rest: WORKERS }), async () => {
    expectSameBits((await shared()).held, await runInWorkers(parity));
  });
}

/** The collectives of rank 0 as PyTorch logs them: the unit, and the elements that a rank gives and gets. */
function collectivesOf({ lanes }: Program): { readonly forward: RecordedCall[]; readonly backward: RecordedCall[] } {
  const { instructions } = at(lanes, 0);
  const found = { forward: [] as RecordedCall[], backward: [] as RecordedCall[] };
  const seen = new Set<number>();
  for (const i of instructions) {
    if ((i.kind !== 'send' && i.kind !== 'recv') || !i.collective || seen.has(i.collective.seq)) continue;
    const { seq, op, tensor } = i.collective;
    seen.add(seq);
    const ranks = lanes.length;
    const length = must(tensor, 'tensor').length;
    const call = (name: string, made: number): RecordedCall => [
      name,
      i.module === '' ? 'root' : i.module,
      length,
      made,
    ];
    const list = i.anchor === 'forward' ? found.forward : found.backward;
    list.push(op === 'allGather' ? call('all_gather', length * ranks) : call('reduce_scatter', length / ranks));
  }
  return found;
}

describe.each(FSDP_CASES)('$name', ({ config, recorded }) => {
  const { programs, shards } = createBlueprint(parseConfig({ ...config, device: 'cpu' }), {});

  test("gathers and scatters the units in torch's order, with torch's padding", () => {
    const calls = collectivesOf(at(programs, 0));
    const { forward, backward } = recorded.log_first_step;
    expect(calls.forward).toEqual(forward.filter(([name]) => name !== 'forward'));
    expect(calls.backward).toEqual(backward);
  });

  test('a unit is gathered before its forward pass', () => {
    const { instructions } = at(at(programs, 0).lanes, 0);
    for (const [name, unit] of recorded.log_first_step.forward) {
      if (name !== 'forward' || unit === 'root') continue;
      const first = instructions.findIndex(
        ({ kind, phase, module }) =>
          kind === 'compute' && phase === 'forward' && (module === unit || module.startsWith(`${unit}.`)),
      );
      const gathered = instructions.findIndex(
        ({ phase, module, kind }) => kind === 'compute' && phase === 'gather' && module === unit,
      );
      expect(gathered).toBeGreaterThan(-1);
      expect(gathered).toBeLessThan(first);
    }
  });

  test('every rank has the rows that torch gives it', () => {
    for (const [name, { local_shapes }] of Object.entries(recorded.parameters)) {
      const held = at(programs, 0).lanes.map(({ buffers }) => buffers.find((spec) => spec.name === name)?.shape ?? []);
      expect(held.map((shape) => elements(shape) * (shape.length > 0 ? 1 : 0))).toEqual(local_shapes.map(elements));
      expect(must(shards.get(name), name).owners).toHaveLength(
        local_shapes.filter((shape) => elements(shape) > 0).length,
      );
    }
  });
});

describe('who steps what under ZeroRedundancyOptimizer', () => {
  test.each(ZERO1_CASES)('$name', ({ config, recorded }) => {
    const { programs } = createBlueprint(parseConfig({ ...config, device: 'cpu' }), {});
    const stepped = at(programs, 1).lanes.map(({ buffers }) =>
      buffers.flatMap(({ name }) => (name.endsWith('.exp_avg') ? [name.slice(0, -'.exp_avg'.length)] : [])),
    );
    expect(stepped.map((names) => names.toSorted())).toEqual(recorded.partition.map((names) => names.toSorted()));
  });

  test.each(zero.cases)(
    '$param_numels on $world_size ranks',
    ({ param_numels, world_size, partition_param_indices_per_rank }) => {
      const parameters = param_numels.map((length, index) => ({ name: `${index}`, shape: [length] }));
      const parts = partitionOf(parameters, world_size).map((own) => own.map(({ name }) => Number(name)));
      expect(parts).toEqual(partition_param_indices_per_rank);
    },
  );
});
