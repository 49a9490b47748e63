/**
 * What a device is busy with: its part in the moment at the cursor; where it has none, what it does at that time,
 * computing before communicating, and idle, with the reason, when neither. Pure;
 * called by the stage's facts for every device and frame, so what it needs of a trace is prepared once.
 */
import { at } from '../../base/invariant';
import type { PipelineAction } from '../../protocol/pipeline';
import type { Clock, DeviceIndex, StepTrace, TraceEvent } from '../../protocol/trace';
import { createIdleTimes, type Interval } from '../../trace/idle';
import { deviceCount } from '../../trace/lanes';
import { isConversion } from '../../trace/moments/precision-sentence';
import { deviceName } from '../../trace/words';
import { namesOf } from '../lanes/event-label';
import { type Gap, gapsOf } from '../lanes/gaps';
import type { DeviceNow } from './facts';

interface Work extends Interval {
  readonly event: number;
}

interface Lanes {
  readonly compute: readonly Work[];
  readonly comm: readonly Work[];
}

export interface DeviceClock {
  /** `moment`: the events at the cursor, of all devices. */
  /** `together`: nobody does anything beside the moment. */
  now(device: DeviceIndex, timeUs: number, moment: readonly number[], together?: boolean): DeviceNow;
}

const within = ({ startUs, endUs }: Interval, timeUs: number): boolean => startUs <= timeUs && timeUs < endUs;

const overlap = (a: Interval, b: Interval): boolean => a.startUs < b.endUs && b.startUs < a.endUs;

const bucketWord = (e: TraceEvent): string => (e.bucket === undefined ? 'transfer' : `bucket ${e.bucket}`);

const WORK = { F: 'forward', B: 'backward', I: 'input gradient', W: 'weight gradients' } as const;

/** As schedules write it, and in words. */
const actionWords = ({ kind, microBatch }: PipelineAction): readonly string[] => [
  `${kind}${microBatch} · ${WORK[kind]} of micro-batch ${microBatch}`,
  `${kind}${microBatch} · ${WORK[kind]}`,
  `${kind}${microBatch}`,
];

/** 'idle: waits for the gradients of cuda:1'; the name of the device is above it. */
const idleWords = (gap: Gap): readonly string[] => {
  const why = gap.why().replace(/^(rank|cuda:)\s?\d+ (is )?/, '');
  const whom = /^waits for .*?((?:rank |cuda:)\d+)/.exec(why)?.[1];
  return [`idle: ${why}`, ...(whom === undefined ? [] : [`waits for ${whom}`]), 'idle'];
};

export function createDeviceClock(trace: StepTrace, clock: Clock): DeviceClock {
  const times = createIdleTimes(trace, clock);
  const devices = Array.from({ length: deviceCount(trace) }, (_, device) => {
    const of = (queue: TraceEvent['queue']): readonly Work[] =>
      times.eventsOf(device).flatMap((event) => {
        const span = times.spans[event];
        return span && trace.events[event]?.queue === queue ? [{ ...span, event }] : [];
      });
    return { compute: of('compute'), comm: of('comm'), gaps: gapsOf(trace, clock, device, times) };
  });
  const busy = ({ event }: Work, activity: DeviceNow['activity'], beside: Work | undefined): DeviceNow | undefined => {
    const e = trace.events[event];
    if (!e) return undefined;
    const other = beside && trace.events[beside.event];
    const words = e.action && activity === 'computing' ? actionWords(e.action) : namesOf(e);
    return {
      activity,
      phase: e.action ? (e.action.kind === 'F' ? 'forward' : 'backward') : e.phase,
      module: e.module,
      words: other ? [...words.slice(0, 2).map((word) => `${word} · ${bucketWord(other)}`), ...words] : words,
      event,
    };
  };
  /** What the device does in the moment; computing, with the transfer that goes on beside it. */
  const partIn = (own: Lanes, moment: readonly number[]): DeviceNow | undefined => {
    // In half precision operators have conversions around them, which a room shows only where there is nothing else.
    const isOperator = ({ event }: Work) => !isConversion(at(trace.events, event));
    const mine = (work: readonly Work[]) => {
      const there = work.filter(({ event }) => moment.includes(event));
      return there.findLast(isOperator) ?? there.at(-1);
    };
    const working = mine(own.compute);
    if (working)
      return busy(
        working,
        'computing',
        own.comm.find((w) => overlap(w, working)),
      );
    const moving = mine(own.comm);
    return moving && busy(moving, 'communicating', undefined);
  };
  const quiet = (activity: DeviceNow['activity'], words: readonly string[]): DeviceNow => ({
    activity,
    words,
    phase: undefined,
    module: '',
    event: undefined,
  });
  const resting = (gap: Gap): DeviceNow =>
    gap.last && gap.startUs > 0 ? quiet('done', [gap.why(), 'done']) : quiet('idle', idleWords(gap));
  /** In a moment of a schedule's actions: whose message its next action waits for; done where it has none left. */
  const untilTurn = (own: Lanes, last: number): DeviceNow => {
    const left = [...own.compute, ...own.comm]
      .sort((a, b) => a.event - b.event)
      .flatMap(({ event }) => (event > last ? (trace.events[event] ?? []) : []))
      .filter(({ action, collective }) => action && !collective);
    const [next] = left;
    if (!next) return quiet('done', ['done with its micro-batches', 'done']);
    return next.kind === 'recv' && next.peer !== undefined
      ? quiet('idle', [`waits for ${deviceName(trace, next.peer)}`, 'waits'])
      : quiet('idle', ['waits for its turn', 'waits']);
  };
  return {
    now(device, timeUs, moment, together = false) {
      const own = devices[device];
      const part = own && partIn(own, moment);
      if (part) return part;
      if (together) return own ? untilTurn(own, moment.at(-1) ?? 0) : quiet('done', ['done']);
      const working = own?.compute.find((w) => within(w, timeUs));
      const moving = own?.comm.findLast((w) => within(w, timeUs));
      const now = working ? busy(working, 'computing', moving) : moving && busy(moving, 'communicating', undefined);
      if (now) return now;
      const gap = own?.gaps.find((g) => within(g, timeUs));
      return gap ? resting(gap) : quiet('done', ['done']);
    },
  };
}
