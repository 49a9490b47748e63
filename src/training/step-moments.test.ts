/**
 * A step of a pipeline has at most 60 moments, under every schedule, with replicas and without, also if ranks share
 * layers; no event is lost, and every round of a collective of layers is a stop.
 */
import { expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import type { ConfigInput } from '../protocol/config';
import { SCHEDULE_NAMES } from '../protocol/pipeline';
import { mlpLayers } from '../protocol/presets';
import { isOfLayers } from '../trace/moments/group-keys';
import { plainText } from '../trace/moments/marked';
import { momentSentence } from '../trace/moments/moment-sentence';
import { byMoments } from '../trace/moments/moments';
import { MOST_MOMENTS } from '../trace/pipeline/turn-windows';
import { stopsOf } from '../trace/position';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';

const SIZES = [
  { pp: 4, dp: 1, tp: 1, microBatches: 8 },
  { pp: 2, dp: 1, tp: 2, microBatches: 8 },
] as const;

/**
 * Replicas, so that there are more moments than fit; more micro-batches; more stages of their own all-reduce; more
 * rounds in each.
 */
const LARGER_SIZES = [
  { pp: 4, dp: 4, tp: 1, microBatches: 8 },
  { pp: 4, dp: 1, tp: 1, microBatches: 32 },
  { pp: 8, dp: 2, tp: 1, microBatches: 16 },
  { pp: 2, dp: 8, tp: 1, microBatches: 4 },
  { pp: 2, dp: 2, tp: 2, microBatches: 8 },
  { pp: 2, dp: 1, tp: 4, microBatches: 16 },
] as const;

interface Size {
  readonly pp: number;
  readonly dp: number;
  readonly tp: number;
  readonly microBatches: number;
}

const underEverySchedule = (sizes: readonly Size[]) =>
  SCHEDULE_NAMES.flatMap((schedule) => sizes.map((size) => ({ schedule, ...size })));

async function tracedStep(config: ConfigInput) {
  const blueprint = createBlueprint(parseConfig({ ...config, device: 'cpu', compareSingle: false }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  const trace = await training.trace();
  await training.dispose();
  return trace;
}

async function holds({ schedule, pp, dp, tp, microBatches }: ReturnType<typeof underEverySchedule>[number]) {
  const original = await tracedStep({
    mode: 'pipeline',
    batchSize: 32 * dp,
    data: { type: 'xor', samples: 64 * dp },
    model: { layers: mlpLayers([2, ...Array.from({ length: 15 }, () => 4), 1], 'Tanh') },
    mesh: { pp, dp, tp },
    pipeline: { schedule, microBatches },
  });
  const trace = byMoments(original);
  expect(trace.moments.length).toBeLessThanOrEqual(MOST_MOMENTS);
  expect(trace.moments.flatMap(({ events }) => events)).toEqual(trace.events.map((_, index) => index));
  const place = new Map(trace.events.map(({ id }, index) => [id, index]));
  trace.events.forEach(({ deps }, index) => {
    for (const dep of deps) expect(place.get(dep) ?? -1).toBeLessThan(index);
  });
  const rounds = new Set(
    trace.events
      .filter(isOfLayers)
      .map((e) => `${e.action?.stage} ${e.action?.kind} ${e.collective?.seq} ${e.collective?.round}`),
  );
  const stops = stopsOf(trace, 'round').filter((stop) => isOfLayers(at(trace.events, stop)));
  expect(stops).toHaveLength(rounds.size);
  expect(stops.length > 0).toBe(tp > 1);
  for (const moment of trace.moments) {
    const said = plainText(momentSentence(trace, moment, 'modelled'));
    expect(said.length, said).toBeLessThanOrEqual(130);
    expect(said).toMatch(/^(?!.*(undefined|NaN|\s\s))[A-Za-z].+[^.\s]$/);
  }
}

const TITLE = '$schedule, $pp x $dp x $tp ranks, $microBatches micro-batches';

test.each(underEverySchedule(SIZES))(TITLE, holds);

test.each(underEverySchedule(LARGER_SIZES))(
  TITLE,
  place({ rest: 'one replica has the same schedules; sentences.test.ts has the moments of two' }),
  holds,
);
