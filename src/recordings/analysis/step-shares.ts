/**
 * Divides a rank's steps: computing, communication hidden under it and exposed, waiting for the last rank, and idle
 * time with its cause. Each moment of a step is counted once. Called by `analyse.ts`.
 */
import type { RecordedLane, RecordedRank, RecordedStep, RecordingRank } from '../recording';
import type { IdleCause, IdleShare, StepOfRank } from '../recording-analysis';
import type { SpanKind } from '../spans';
import { SPAN_KINDS } from '../spans';
import { busy, clip, type Intervals, intersect, merged, subtract, total, union } from './intervals';
import { bytesBetween, type OwnPart } from './own-parts';

const COMPUTE: readonly SpanKind[] = ['operator', 'kernel', 'copy'];

/** A rank's activities over the whole recording. */
interface Timeline {
  readonly compute: Intervals;
  readonly communication: Intervals;
  /** Times until the last rank of a collective arrived, while no other collective of this rank transfers. */
  readonly waiting: Intervals;
  /** The best explanation first. */
  readonly causes: readonly { readonly cause: IdleCause; readonly name: string; readonly when: Intervals }[];
}

/** `parts`: the rank's parts of the collectives. */
export function stepShares(rank: RecordedRank, parts: readonly OwnPart[]): readonly StepOfRank[] {
  const timeline = timelineOf(rank, parts);
  const bytesIn = bytesBetween(parts);
  return rank.steps.map((step) => shareOf(rank.rank, step, timeline, bytesIn(step.startUs, step.endUs)));
}

function timelineOf(rank: RecordedRank, parts: readonly OwnPart[]): Timeline {
  const { lanes } = rank;
  const cpu = lanes.filter(({ role }) => role !== 'communication');
  const hosts = lanes.filter(({ role }) => role === 'host');
  const own = parts.map(({ startUs, endUs, lastUs }) => ({ startUs, arrivedUs: Math.min(lastUs, endUs), endUs }));
  const transfer = merged(own.map(({ arrivedUs, endUs }) => [arrivedUs, endUs]));
  const computing = lanes.filter(({ role }) => role === 'compute');
  const launches = busy(cpu, ['launch']);
  // With a GPU, the CPU thread may be in any operator while the GPU is idle.
  const launching = union(launches, busy(hosts, ['operator']));
  return {
    compute: busy(computing, COMPUTE),
    communication: busy(lanes, ['collective']),
    waiting: subtract(merged(own.map(({ startUs, arrivedUs }) => [startUs, arrivedUs])), transfer),
    causes: [
      ...named(rank, cpu, 'loader', 'loader'),
      { cause: 'launch', name: '', when: launching },
      ...named(rank, cpu, 'annotation', 'annotation'),
    ],
  };
}

/** Intervals by name, the shorter first: of nested annotations, the inner one explains more. */
function named(
  rank: RecordedRank,
  lanes: readonly RecordedLane[],
  kind: SpanKind,
  cause: IdleCause,
): Timeline['causes'] {
  const wanted = SPAN_KINDS.indexOf(kind);
  const names = new Map<string, { sum: number; count: number }>();
  const nameOf = (lane: RecordedLane, index: number): string => rank.strings[lane.spans.name[index] ?? 0] ?? '';
  for (const lane of lanes) {
    for (let k = 0; k < lane.spans.count; k++) {
      if (lane.spans.kind[k] !== wanted) continue;
      const known = names.get(nameOf(lane, k)) ?? { sum: 0, count: 0 };
      known.sum += lane.spans.durUs[k] ?? 0;
      known.count++;
      names.set(nameOf(lane, k), known);
    }
  }
  const shortest = [...names].sort(([, a], [, b]) => a.sum / a.count - b.sum / b.count).slice(0, MOST_NAMES);
  return shortest.map(([name]) => ({
    cause,
    name,
    when: busy(lanes, [kind], (lane, index) => nameOf(lane, index) === name),
  }));
}

/** A limit, because numbered names ("batch 17") would each take a pass over all spans. */
const MOST_NAMES = 50;

/** A rank's step, divided by activity. Nothing counts twice, and hidden communication is a part of computing. */
export interface DividedStep {
  readonly compute: Intervals;
  readonly communication: Intervals;
  readonly hidden: Intervals;
  readonly waiting: Intervals;
  readonly transfer: Intervals;
  readonly idle: readonly { readonly cause: IdleCause; readonly name: string; readonly when: Intervals }[];
}

/** The division of `stepShares` as intervals, for the drawings of lessons. */
export const dividedSteps = (rank: RecordedRank, parts: readonly OwnPart[]): readonly DividedStep[] => {
  const timeline = timelineOf(rank, parts);
  return rank.steps.map((step) => divided(step, timeline));
};

function divided({ startUs, endUs }: RecordedStep, timeline: Timeline): DividedStep {
  const within = (all: Intervals): Intervals => clip(all, startUs, endUs);
  const compute = within(timeline.compute);
  const communication = within(timeline.communication);
  const exposed = subtract(communication, compute);
  const waiting = intersect(exposed, within(timeline.waiting));
  const idle: { cause: IdleCause; name: string; when: Intervals }[] = [];
  let left = subtract([startUs, endUs], union(compute, communication));
  for (const { cause, name, when } of timeline.causes) {
    if (left.length === 0) break;
    const here = within(when);
    const explained = intersect(left, here);
    if (total(explained) <= 0) continue;
    idle.push({ cause, name, when: explained });
    left = subtract(left, here);
  }
  if (total(left) > 0) idle.push({ cause: 'python', name: '', when: left });
  return {
    ...{ compute, communication, hidden: intersect(communication, compute) },
    ...{ waiting, transfer: subtract(exposed, waiting), idle },
  };
}

function shareOf(rank: RecordingRank, recorded: RecordedStep, timeline: Timeline, bytes: number): StepOfRank {
  const { step, startUs, endUs, marked } = recorded;
  const { compute, communication, waiting, idle } = divided(recorded, timeline);
  const [computeUs, communicationUs, waitingUs] = [total(compute), total(communication), total(waiting)];
  const exposedUs = total(subtract(communication, compute));
  return {
    step: marked ? step : undefined,
    rank,
    startUs,
    durUs: endUs - startUs,
    computeUs,
    communicationUs,
    overlapUs: communicationUs - exposedUs,
    exposedUs,
    waitingUs,
    transferUs: exposedUs - waitingUs,
    idleUs: total(subtract([startUs, endUs], union(compute, communication))),
    idle: idle.map(({ cause, name, when }) => ({ cause, name, us: total(when) })).sort((a, b) => b.us - a.us),
    bytes,
  };
}

/** The mean of each figure over a rank's own steps. */
export function meanOf(rank: RecordingRank, own: readonly StepOfRank[]): StepOfRank {
  const mean = (of: (step: StepOfRank) => number): number =>
    own.length === 0 ? 0 : own.reduce((sum, step) => sum + of(step), 0) / own.length;
  const idle = new Map<string, IdleShare>();
  for (const { cause, name, us } of own.flatMap((step) => step.idle)) {
    const key = `${cause} ${name}`;
    idle.set(key, { cause, name, us: (idle.get(key)?.us ?? 0) + us / own.length });
  }
  return {
    step: undefined,
    rank,
    startUs: own[0]?.startUs ?? 0,
    durUs: mean(({ durUs }) => durUs),
    computeUs: mean(({ computeUs }) => computeUs),
    communicationUs: mean(({ communicationUs }) => communicationUs),
    overlapUs: mean(({ overlapUs }) => overlapUs),
    exposedUs: mean(({ exposedUs }) => exposedUs),
    waitingUs: mean(({ waitingUs }) => waitingUs),
    transferUs: mean(({ transferUs }) => transferUs),
    idleUs: mean(({ idleUs }) => idleUs),
    idle: [...idle.values()].sort((a, b) => b.us - a.us),
    bytes: mean(({ bytes }) => bytes),
  };
}
