/**
 * The proof that the passes carry tensor parallelism: a column/row pair of Linear layers over tp, made of a plan, rules
 * and graph nodes in a test folder, trains like one device. Its Programs are verified, planned, simulated, traced and
 * drawn as any other, and send what torch's pair sends: one all-reduce after the row-parallel product, and in the
 * backward pass one for the gradient of the pair's input where somebody needs it.
 */
import { describe, expect, test } from 'vitest';
import { planStage } from '../../app/stage/scene';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { PlanInput } from '../../graph/partition/styles';
import { sessionInfo } from '../../headless/session-info';
import { PROGRAM_OPS } from '../../parallel/modes';
import { tensorParallel } from '../../parallel/testing/tensor/mode';
import type { Program } from '../../program/instruction';
import { planMemory } from '../../program/memory-planner';
import { verify } from '../../program/verifier';
import type { Config, ConfigInput } from '../../protocol/config';
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

type Styles = PlanInput['styles'];
const modeOf = (styles: Styles) => tensorParallel({ axis: 'tp', styles, lossParallel: false });

const COLUMNS = { style: 'ColwiseParallel' } as const;
const ROWS = { style: 'RowwiseParallel' } as const;

const PAIR: Styles = [
  ['0', COLUMNS],
  ['2', ROWS],
];
/** Behind a layer that every rank has whole, so that the pair's input needs a gradient. */
const PAIR_BEHIND: Styles = [
  ['2', COLUMNS],
  ['4', ROWS],
];
const NET = [4, 8, 4];
const NET_BEHIND = [4, 4, 8, 4];

function configOf(sizes: readonly number[], more: ConfigInput = {}): Config {
  const config = parseConfig({
    mode: 'ddp',
    worldSize: 2,
    device: 'cpu',
    model: { layers: mlpLayers(sizes, 'Tanh') },
    data: { type: 'randomRegression', samples: 30, in: 4, out: 4 },
    loss: { type: 'MSELoss' },
    optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
    batchSize: BATCH,
    ...more,
  });
  return { ...config, mesh: { ...config.mesh, pp: 1, tp: config.worldSize } };
}

async function open(styles: Styles | undefined, config: Config): Promise<Training> {
  const blueprint = styles
    ? createBlueprint(config, {}, modeOf(styles))
    : createBlueprint({ ...config, mode: 'single', worldSize: 1 }, {});
  return createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
}

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

describe.each(CASES)('%s', (_, styles, sizes, collectives) => {
  test('is verified and planned; each rank holds half of what is cut', () => {
    const { programs, shards } = createBlueprint(configOf(sizes), {}, modeOf(styles));
    for (const program of programs) expect(() => verify(program, PROGRAM_OPS)).not.toThrow();
    const plans = planMemory(programs);
    expect(plans.get(0)?.bytes).toBe(plans.get(1)?.bytes);
    const program = must(programs[0], 'a Program');
    const shapes = Object.fromEntries(
      at(program.lanes, 1)
        .buffers.filter(({ category }) => category === 'parameter')
        .map(({ name, shape }) => [name, shape]),
    );
    const [[first], [second]] = [at(styles, 0), at(styles, 1)];
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
    const config = configOf(sizes, more as ConfigInput);
    const [cut, whole] = [await open(styles, config), await open(undefined, config)];
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
    const training = await open(styles, configOf(sizes));
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
    ['columns alone', [['0', COLUMNS]]],
    ['rows alone', [['2', ROWS]]],
    [
      'columns after columns',
      [
        ['0', COLUMNS],
        ['2', COLUMNS],
      ],
    ],
    [
      'rows, then columns',
      [
        ['0', ROWS],
        ['2', COLUMNS],
      ],
    ],
  ] as const)('%s: the losses and weights of one device', async (_, styles) => {
    for (const worldSize of [2, 4]) {
      const cut = await open(styles, configOf([4, 7, 4], { worldSize }));
      await cut.run(STEPS);
      expect(differenceFromSingle(cut.blueprint, await cut.weights())).toBeLessThanOrEqual(BAR);
      await cut.dispose();
    }
  });
});

test('a rank that would get nothing is refused in words', () => {
  expect(() => createBlueprint(configOf([4, 1, 4]), {}, modeOf(PAIR))).toThrow(
    /0[.]weight has the shape .* leaves rank 1 without a part/,
  );
});
