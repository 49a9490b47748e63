/**
 * A column/row pair of Linear layers over tp trains like one device. Its Programs are verified, planned, simulated,
 * traced and drawn as any other, and send what torch's pair sends: one all-reduce after the row-parallel product, and
 * in the backward pass one for the gradient of the pair's input where somebody needs it.
 */
import { describe, expect, test } from 'vitest';
import { planStage } from '../../app/stage/scene';
import { at, must } from '../../base/invariant';
import { parseConfig, referenceConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Program } from '../../program/instruction';
import { planMemory } from '../../program/memory-planner';
import { verify } from '../../program/verifier';
import type { Config, ConfigInput } from '../../protocol/config';
import type { StyleName } from '../../protocol/config/tensor';
import { mlpLayers } from '../../protocol/presets';
import { pieceOn } from '../../sharding/shard-map';
import { metricsOf } from '../../trace/metrics';
import { packetsOf } from '../../trace/packets';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import type { Training } from '../training';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const STEPS = 8;
const BATCH = 6;
/** float32 sums in another order. */
const BAR = 1e-6;

type Plan = Readonly<Record<string, StyleName>>;

const PAIR: Plan = { 0: 'ColwiseParallel', 2: 'RowwiseParallel' };
/** Behind a layer that every rank has whole, so that the pair's input needs a gradient. */
const PAIR_BEHIND: Plan = { 2: 'ColwiseParallel', 4: 'RowwiseParallel' };
const NET = [4, 8, 4];
const NET_BEHIND = [4, 4, 8, 4];

const configOf = (sizes: readonly number[], plan: Plan, more: ConfigInput = {}): Config =>
  parseConfig({
    mode: 'tensor',
    worldSize: 2,
    tensor: { plan },
    device: 'cpu',
    model: { layers: mlpLayers(sizes, 'Tanh') },
    data: { type: 'randomRegression', samples: 30, in: 4, out: 4 },
    loss: { type: 'MSELoss' },
    optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
    batchSize: BATCH,
    ...more,
  });

const open = (config: Config): Promise<Training> =>
  createTraining(createBlueprint(config, {}), { keeper: new DeviceKeeper(undefined, true), gpu: undefined });

/** Of each collective of the Program: its phase, and how many elements a rank brings. */
function collectivesOf({ lanes }: Program) {
  const found = new Map<string, string>();
  for (const i of at(lanes, 0).instructions)
    if (i.kind === 'send' && i.collective) {
      const { seq, op, tensor } = i.collective;
      found.set(`${seq}`, `${op} in ${i.phase} of ${tensor?.length}`);
    }
  return [...found.values()];
}

const CASES = [
  ['a pair on data', PAIR, NET, [`allReduce in forward of ${BATCH * 4}`]],
  [
    'a pair behind a whole layer',
    PAIR_BEHIND,
    NET_BEHIND,
    [`allReduce in forward of ${BATCH * 4}`, `allReduce in backward of ${BATCH * 4}`],
  ],
] as const;

describe.each(CASES)('%s', (_, plan, sizes, collectives) => {
  test('is verified and planned; each rank holds half of what is cut', () => {
    const { programs, shards } = createBlueprint(configOf(sizes, plan), {});
    for (const program of programs) expect(() => verify(program, PROGRAM_OPS)).not.toThrow();
    const plans = planMemory(programs);
    expect(plans.get(0)?.bytes).toBe(plans.get(1)?.bytes);
    const program = must(programs[0], 'a Program');
    const shapes = Object.fromEntries(
      at(program.lanes, 1)
        .buffers.filter(({ category }) => category === 'parameter')
        .map(({ name, shape }) => [name, shape]),
    );
    const [first, second] = Object.keys(plan);
    expect(shapes).toMatchObject({
      [`${first}.weight`]: [4, 4],
      [`${first}.bias`]: [4],
      [`${second}.weight`]: [4, 4],
      [`${second}.bias`]: [4],
    });
    const rows = pieceOn(must(shards.get(`${first}.weight`), 'weight'), 1)?.ranges;
    expect(rows).toEqual([[{ start: 4, length: 4 }], [{ start: 0, length: 4 }]]);
  });

  test.each([
    [{}],
    [{ optimizer: { type: 'Adam', lr: 0.01 } }],
    [{ accumulate: 2 }],
    [{ fuse: true }],
    [{ worldSize: 4 }],
    [{ clipGradNorm: 0.2 }],
    [{ clipGradNorm: 0.2, clipGradNormType: 'inf' }],
    [{ placement: 'workers' }],
  ] as const)('%j: the losses and weights of one device', async (more) => {
    const config = configOf(sizes, plan, more as ConfigInput);
    const [cut, whole] = [await open(config), await open(referenceConfig(config))];
    const losses = await cut.run(STEPS);
    const expected = await whole.run(STEPS);
    expect(losses).toHaveLength(STEPS);
    for (const [step, { loss, perRank }] of losses.entries()) {
      expect(Math.abs(loss - at(expected, step).loss), `step ${step}`).toBeLessThanOrEqual(BAR);
      // All ranks go on with the same sum.
      expect(new Set(perRank).size).toBe(1);
    }
    expect(at(expected, STEPS - 1).loss).not.toBe(at(expected, 0).loss);
    const weights = await cut.weights();
    expect(replicaDivergence(cut.blueprint, weights)).toBe(0);
    expect(differenceFromSingle(cut.blueprint, weights)).toBeLessThanOrEqual(BAR);
    await cut.dispose();
    await whole.dispose();
  });

  test('sends as many all-reduces as torch, traced and drawn', async () => {
    const training = await open(configOf(sizes, plan));
    const { programs } = training.blueprint;
    for (const program of programs) expect(collectivesOf(program)).toEqual(collectives);
    const trace = await training.trace();
    const info = sessionInfo(training);
    const { traffic, formula, bytesAgree } = metricsOf(trace, 'modelled', info);
    // Around a ring of two, each rank sends as many bytes as it has.
    const bytes = collectives.length * BATCH * 4 * 4;
    expect([traffic.sent, formula.perDevice, bytesAgree]).toEqual([[bytes, bytes], [bytes, bytes], true]);
    expect(trace.modelled).toHaveLength(trace.events.length);
    expect(Math.max(...trace.modelled.map(({ startUs, durUs }) => startUs + durUs))).toBeGreaterThan(0);
    const packets = packetsOf(trace);
    expect(packets.length).toBeGreaterThan(0);
    expect(planStage(info, trace, packets, { width: 900, height: 600 }).layout.rooms).toHaveLength(2);
    await training.dispose();
  });
});

describe('other plans than pairs, which gather in between', () => {
  test.each([
    ['columns alone', { 0: 'ColwiseParallel' }],
    ['rows alone', { 2: 'RowwiseParallel' }],
    ['columns after columns', { 0: 'ColwiseParallel', 2: 'ColwiseParallel' }],
    ['rows, then columns', { 0: 'RowwiseParallel', 2: 'ColwiseParallel' }],
  ] as const)('%s: the losses and weights of one device', async (_, plan) => {
    for (const worldSize of [2, 4]) {
      const cut = await open(configOf([4, 7, 4], plan, { worldSize }));
      await cut.run(STEPS);
      expect(differenceFromSingle(cut.blueprint, await cut.weights())).toBeLessThanOrEqual(BAR);
      await cut.dispose();
    }
  });
});

test('a rank that would get nothing is refused in words', () => {
  expect(() => createBlueprint(configOf([4, 1, 4], PAIR), {})).toThrow(
    /0[.]weight has the shape .* leaves rank 1 without a part/,
  );
});
