/**
 * What a device is doing: its part in the moment at the cursor; without one, its work at that time, computing before
 * communicating; else idle, with the reason. Pure; the stage's facts call it for every device and frame, so the trace
 * is prepared once.
 */
import { at } from '../../base/invariant';
import type { PipelineAction } from '../../protocol/pipeline';
import type { Clock, DeviceIndex, StepTrace, TraceEvent } from '../../protocol/trace';
import { createIdleTimes } from '../../trace/idle';
import type { Interval } from '../../trace/intervals';
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
  /** `moment`: the events of all devices at the cursor. */
  /** `together`: no device does anything outside the moment. */
  now(device: DeviceIndex, timeUs: number, moment: readonly number[], together?: boolean): DeviceNow;
}

const within = ({ startUs, endUs }: Interval, timeUs: number): boolean => startUs <= timeUs && timeUs < endUs;

const overlap = (a: Interval, b: Interval): boolean => a.startUs < b.endUs && b.startUs < a.endUs;

const bucketWord = (e: TraceEvent): string => (e.bucket === undefined ? 'transfer' : `bucket ${e.bucket}`);

const WORK = { F: 'forward', B: 'backward', I: 'input gradient', W: 'weight gradients' } as const;

/** The action as schedules write it, and in words. */
const actionWords = ({ kind, microBatch }: PipelineAction): readonly string[] => [
  `${kind}${microBatch} · ${WORK[kind]} of micro-batch ${microBatch}`,
  `${kind}${microBatch} · ${WORK[kind]}`,
  `${kind}${microBatch}`,
];

/** 'idle: waits for the gradients of cuda:1'; the device's own name is shown above these words. */
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
  /** The events of the moment that was asked for last; the rooms of 64 devices ask for the same one. */
  let asked: { readonly moment: readonly number[]; readonly events: ReadonlySet<number> } | undefined;
  const eventsOf = (moment: readonly number[]): ReadonlySet<number> => {
    if (asked?.moment !== moment) asked = { moment, events: new Set(moment) };
    return asked.events;
  };
  /** The device's part in the moment: its computation, with a concurrent transfer. */
  const partIn = (own: Lanes, moment: readonly number[]): DeviceNow | undefined => {
    // In half precision, conversions surround operators; a room shows a conversion only if there is no operator.
    const isOperator = ({ event }: Work) => !isConversion(at(trace.events, event));
    const events = eventsOf(moment);
    const mine = (work: readonly Work[]) => {
      const there = work.filter(({ event }) => events.has(event));
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
  /**
   * For a moment of schedule actions: the sender for which the device's next action waits, or done if it has no action
   * left.
   */
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
