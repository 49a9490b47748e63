/** Steps with many collectives: one moment has all rounds of a collective, and the rounds can still be walked. */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { mlpLayers } from '../../protocol/presets';
import { toldSteps } from '../../training/testing/told-steps';
import { nextStop, stopsOf } from '../position';
import { plainText } from './marked';
import { momentSentence } from './moment-sentence';
import { whyOf } from './moment-why';
import { byMoments } from './moments';

const momentsWith = async (depth: number) => {
  const config = parseConfig({
    mode: 'tensor',
    worldSize: 4,
    device: 'cpu',
    compareSingle: false,
    data: { type: 'xor', samples: 16 },
    batchSize: 16,
    model: { layers: mlpLayers([2, ...Array.from({ length: depth }, () => 8), 1], 'Tanh') },
  });
  return byMoments(at(await toldSteps(config), 0));
};

test('a short step has one moment for each round', async () => {
  const { moments } = await momentsWith(3);
  expect(moments.filter(({ round }) => round?.whole)).toEqual([]);
  expect(moments.filter(({ round }) => round).length % 6).toBe(0);
});

test('in a long step a collective is one moment, and the layer’s copies are in the moment of the layer', async () => {
  const trace = await momentsWith(9);
  const { moments } = trace;
  const whole = moments.filter(({ round }) => round);
  expect(whole.length).toBeGreaterThan(4);
  for (const { round, kind } of whole) expect([round?.whole, round?.count, kind]).toEqual([true, 6, 'round']);
  expect(moments.filter(({ kind, module }) => kind === 'copy' && module !== '')).toEqual([]);
  const said = moments.map((moment) => plainText(momentSentence(trace, moment, 'modelled')));
  expect(said).toContain(
    'All-reduce of the four addends of the output of layer 2: every rank gets the sum, in 6 rounds',
  );
  expect(stopsOf(trace, 'moment')).toHaveLength(moments.length);
  // Each round of each collective is a stop, in order.
  const rounds = stopsOf(trace, 'round');
  expect(rounds).toHaveLength(6 * whole.length);
  expect(rounds).toEqual([...rounds].sort((a, b) => a - b));
  expect(trace.events.map((_, index) => index)).toEqual(moments.flatMap(({ events }) => events));
});

interface Cut {
  readonly depth: number;
  readonly tp?: number;
  readonly microBatches: number;
}

const cutPipeline = async ({ depth, tp = 2, microBatches }: Cut) => {
  const config = parseConfig({
    mode: 'pipeline',
    device: 'cpu',
    compareSingle: false,
    mesh: { pp: 2, tp },
    data: { type: 'xor', samples: 16 },
    batchSize: 16,
    pipeline: { microBatches },
    model: { layers: mlpLayers([2, ...Array.from({ length: depth }, () => 8), 1], 'Tanh') },
  });
  const trace = byMoments(at(await toldSteps(config), 0));
  const said = trace.moments.map((moment) => plainText(momentSentence(trace, moment, 'modelled')));
  return { trace, moments: trace.moments, said };
};
type CutTrace = Awaited<ReturnType<typeof cutPipeline>>['trace'];

/** Named by the rank that sends first, its micro-batch and the number of the collective in the group. */
const roundsOf = ({ events }: CutTrace) =>
  new Set(
    events.flatMap(({ action, collective: c }) =>
      c ? `${Math.min(...(c.group?.ranks ?? []))} ${action?.microBatch} ${c.seq} ${c.op} ${c.round}` : [],
    ),
  ).size;

/** The stops of "Step round" at the end of a collective's round; others are ends of messages between stages. */
const roundStops = (trace: CutTrace) => stopsOf(trace, 'round').filter((stop) => at(trace.events, stop).collective);

test.each([
  { depth: 3, tp: 2, microBatches: 8, rounds: 48 },
  { depth: 5, tp: 2, microBatches: 4, rounds: 48 },
  { depth: 7, tp: 2, microBatches: 4, rounds: 56 },
])(
  'a cut pipeline of $microBatches micro-batches, $depth layers: each whole collective is a moment',
  async ({ rounds, ...cut }) => {
    const { trace, moments } = await cutPipeline(cut);
    expect(moments.length).toBeLessThanOrEqual(60);
    expect(moments.length).toBeGreaterThan(50);
    const collectives = new Set(
      moments.flatMap(({ round }) => (round ? `${round.collective.group?.ranks} ${round.seq}` : [])),
    );
    expect(moments.filter(({ round }) => round)).toHaveLength(collectives.size);
    for (const { events, turn } of moments)
      if (turn) expect(events.filter((index) => at(trace.events, index).collective)).toEqual([]);
    expect(roundStops(trace)).toHaveLength(rounds);
    expect(roundsOf(trace)).toBe(rounds);
  },
);

test.each([
  { depth: 15, tp: 2, microBatches: 8, rounds: 240, least: 36 },
  { depth: 15, tp: 4, microBatches: 4, rounds: 360, least: 20 },
  { depth: 9, tp: 2, microBatches: 4, rounds: 80, least: 20 },
])(
  'with tp $tp, $microBatches micro-batches, $depth layers, turns have the collectives; each round is a stop',
  async ({ rounds, least, ...cut }) => {
    const { trace, moments, said } = await cutPipeline(cut);
    expect(moments.length).toBeLessThanOrEqual(60);
    expect(moments.length).toBeGreaterThan(least);
    expect(roundsOf(trace)).toBe(rounds);
    const stops = roundStops(trace);
    expect(stops).toHaveLength(rounds);
    expect(stops).toEqual([...new Set(stops)].sort((a, b) => a - b));
    // From stop to stop, every event of a round is done before the cursor rests at its end.
    expect(nextStop(trace, { event: at(stops, 0), fraction: 1 }, 'round')).toBe(at(stopsOf(trace, 'round'), 1));
    moments.forEach(({ events }, index) => {
      const has = events.some((event) => at(trace.events, event).collective);
      expect(/all-reduce|all-gather/.test(at(said, index)), said[index]).toBe(has);
      expect(at(said, index).length, said[index]).toBeLessThanOrEqual(130);
    });
  },
);

test('the sentence of a turn says what its layers exchange', async () => {
  const { trace, moments, said } = await cutPipeline({ depth: 15, microBatches: 8 });
  for (const sentence of [
    'Stage 0 runs the forward pass of micro-batch 0, stage 1 waits, and the two ranks of stage 0 add up their products in 4 all-reduces',
    'Stages 0 and 1 run forward passes of micro-batches 1 and 0, and the two ranks of stage 0 add up their products in 4 all-reduces',
    'Stage 0 runs the backward pass of micro-batch 0, stage 1 the forward pass of micro-batch 1, with 7 all-reduces of products in all',
  ])
    expect(said).toContain(sentence);
  expect(moments.map((moment) => whyOf(trace, moment, 'modelled')).join()).toContain(
    'those of a turn are in the moment of the turn. “Step round” stops after every round.',
  );
});

test('a turn whose layers gather pieces and add up products names both', async () => {
  const { said } = await cutPipeline({ depth: 9, microBatches: 4 });
  expect(said).toContain(
    'Stage 0 waits, stage 1 runs the backward pass of micro-batch 0, and stage 1 exchanges results in 2 all-reduces and one all-gather',
  );
});

test('a window of turns without collectives stops at each message', async () => {
  const config = parseConfig({
    mode: 'pipeline',
    worldSize: 4,
    device: 'cpu',
    compareSingle: false,
    data: { type: 'xor', samples: 64 },
    batchSize: 32,
    pipeline: { microBatches: 32 },
    model: { layers: mlpLayers([2, 8, 8, 8, 1], 'Tanh') },
  });
  const trace = byMoments(at(await toldSteps(config), 0));
  expect(trace.moments.some(({ turn }) => (turn?.turns ?? 1) > 1)).toBe(true);
  // Each of the 3 borders is crossed forward and back by each micro-batch.
  expect(stopsOf(trace, 'round')).toHaveLength(2 * 3 * 32);
});

test('at 16 ranks the rounds of the first bucket are moments, and every later bucket is one moment', async () => {
  const config = parseConfig({
    mode: 'ddp',
    worldSize: 16,
    device: 'cpu',
    compareSingle: false,
    data: { type: 'xor', samples: 64 },
    batchSize: 32,
    ddp: { bucketCapMb: 0.25 / 1024 },
    model: { layers: mlpLayers([2, 8, 8, 8, 1], 'Tanh') },
  });
  const trace = byMoments(at((await toldSteps(config)).slice(-1), 0));
  const { moments } = trace;
  expect(moments.length).toBeLessThanOrEqual(60);
  const rounds = moments.flatMap(({ round, bucket }) => (round ? [{ bucket, whole: round.whole }] : []));
  const last = Math.max(...rounds.map(({ bucket }) => bucket ?? 0));
  expect(last).toBeGreaterThan(1);
  expect(rounds.filter(({ bucket }) => bucket === 0)).toEqual(Array(30).fill({ bucket: 0, whole: false }));
  for (let bucket = 1; bucket <= last; bucket++)
    expect(rounds.filter((r) => r.bucket === bucket)).toEqual([{ bucket, whole: true }]);
  const said = moments.map((moment) => plainText(momentSentence(trace, moment, 'modelled')));
  expect(said).toContain('All-reduce of bucket 1: every rank gets the sum, in 30 rounds');
  // “Step round” still stops at each.
  expect(stopsOf(trace, 'round')).toHaveLength(30 * (last + 1));
});
