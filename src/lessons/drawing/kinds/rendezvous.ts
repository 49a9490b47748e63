/**
 * The drawing `rendezvous`: four processes call init_process_group(), one of them late or never. Beside each process is
 * its key in the store that rank 0 serves. The calls were recorded from a rendezvous of the engine
 * (record/rendezvous.ts). Drawn in the lesson on launching.
 */
import { must } from '../../../base/invariant';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { shape, svg, text } from '../svg';

export interface DrawnCall {
  readonly rank: number;
  readonly what: 'starts' | 'serves' | 'connects' | 'is connected' | 'sets' | 'waits' | 'returns' | 'raises';
}

export interface DrawnMeeting {
  /** The knob's value: which rank starts last, or 'never' if rank 3 crashes before the call. */
  readonly late: string;
  /** The calls in each moment, in order. */
  readonly moments: readonly (readonly DrawnCall[])[];
}

const RANKS = [0, 1, 2, 3];
const ROW = 62;
const TOP = 34;

const meetingsOf = (data: unknown): readonly DrawnMeeting[] =>
  must(data, 'recorded meetings') as readonly DrawnMeeting[];

interface Process {
  readonly rank: number;
  readonly last: DrawnCall['what'] | undefined;
  readonly hasCrashed: boolean;
  /** The process's key is in the store. */
  readonly isSet: boolean;
  readonly isConnected: boolean;
}

function processesAt({ late, moments }: DrawnMeeting, moment: number): readonly Process[] {
  const calls = moments.slice(0, moment).flat();
  return RANKS.map((rank) => {
    const own = calls.filter((call) => call.rank === rank).map(({ what }) => what);
    return {
      rank,
      last: own.at(-1),
      hasCrashed: late === 'never' && rank === RANKS.at(-1),
      isSet: own.includes('sets'),
      isConnected: own.includes('serves') || own.includes('is connected'),
    };
  });
}

const listed = (ranks: readonly number[]): string =>
  ranks.length === 1 ? `rank ${ranks[0]}` : `ranks ${ranks.slice(0, -1).join(', ')} and ${ranks.at(-1)}`;

function stateOf({ last, hasCrashed }: Process, missing: readonly number[]): string {
  if (last === undefined) return hasCrashed ? 'has crashed' : 'not started';
  if (last === 'connects') return 'finds no store, tries again';
  if (last === 'returns') return 'continues';
  if (last === 'raises') return 'raises a timeout error';
  return missing.length === 0 ? 'sees all four keys' : `waits for ${listed(missing)}`;
}

function saysOf(processes: readonly Process[], moment: number): string {
  const having = (test: (process: Process) => boolean) => processes.filter(test).map(({ rank }) => rank);
  const missing = having(({ isSet }) => !isSet);
  if (moment === 0) return 'Four processes will join. None of them has called init_process_group() yet.';
  if (having(({ last }) => last === 'returns').length === RANKS.length)
    return 'All four keys are in the store, so init_process_group() returns in all processes at the same time.';
  const raised = having(({ last }) => last === 'raises');
  if (raised.length > 0)
    return `The timeout is over. ${listed(raised).replace(/^r/, 'R')} raise an error, because the key of ${listed(missing)} is missing.`;
  const trying = having(({ last }) => last === 'connects');
  if (trying.length > 0)
    return `${listed(trying).replace(/^r/, 'R')} ${trying.length === 1 ? 'tries' : 'try'} to reach the store. Rank 0 would serve it, but rank 0 has not started.`;
  if (missing.length === 0) return 'The last process has written its key, so no key is missing any more.';
  const there = having(({ isSet }) => isSet);
  return `${listed(there).replace(/^r/, 'R')} ${there.length === 1 ? 'has' : 'have'} written ${there.length === 1 ? 'its key' : 'their keys'}. Inside init_process_group() ${there.length === 1 ? 'it waits' : 'they wait'} for ${listed(missing)}.`;
}

function row(process: Process, missing: readonly number[], boxes: { readonly left: number; readonly store: number }) {
  const { rank, last, isSet, isConnected } = process;
  const y = TOP + rank * ROW;
  const middle = y + ROW / 2 - 6;
  const slot = boxes.store + 12;
  const isAbsent = last === undefined;
  return [
    shape('rect', {
      ...{ x: 1, y, width: boxes.left, height: ROW - 12, rx: 8, fill: isAbsent ? 'none' : `var(--rank-${rank})` },
      ...{ 'fill-opacity': 0.16, stroke: isAbsent ? 'var(--line)' : `var(--rank-${rank})`, 'stroke-width': 1.8 },
      'stroke-dasharray': isAbsent ? '5 4' : undefined,
    }),
    text(`rank ${rank}`, { x: 12, y: y + 20, 'font-weight': 600 }),
    text(stateOf(process, missing), {
      ...{
        x: 12,
        y: y + 38,
        fill: last === 'raises' ? 'var(--bad)' : last === 'returns' ? 'var(--good)' : 'var(--soft)',
      },
    }),
    ...(isConnected || last === 'connects'
      ? [
          shape('line', {
            ...{
              key: `link ${rank}`,
              x1: boxes.left + 2,
              y1: middle,
              x2: isConnected ? slot : (boxes.left + slot) / 2,
            },
            ...{ y2: middle, stroke: `var(--rank-${rank})`, 'stroke-width': 2 },
            'stroke-dasharray': isConnected ? undefined : '4 4',
          }),
        ]
      : []),
    shape('rect', {
      ...{
        x: slot,
        y: y + 7,
        width: 86,
        height: ROW - 26,
        rx: 6,
        stroke: isSet ? `var(--rank-${rank})` : 'var(--line)',
      },
      ...{ fill: isSet ? `var(--rank-${rank})` : 'none', 'fill-opacity': 0.25, 'stroke-width': 1.5 },
      'stroke-dasharray': isSet ? undefined : '4 3',
    }),
    text(isSet ? `key ${rank}` : '', { x: slot + 43, y: middle + 4, 'text-anchor': 'middle' }),
  ];
}

function draw({ settings, width, data }: DrawAsked): Drawn {
  const meeting = must(
    meetingsOf(data).find(({ late }) => late === settings['late']),
    'a recorded meeting',
  );
  const moment = Math.min(Number(settings['moment']), meeting.moments.length);
  const processes = processesAt(meeting, moment);
  const missing = processes.filter(({ isSet }) => !isSet).map(({ rank }) => rank);
  const says = saysOf(processes, moment);
  const isServed = processes.some(({ rank, isConnected }) => rank === 0 && isConnected);
  const whole = Math.min(width, 720);
  const boxes = { left: whole < 420 ? 178 : 250, store: whole - 112 };
  const height = TOP + RANKS.length * ROW;
  const calls = meeting.moments.slice(0, moment).flat();
  return {
    svg: svg(
      { width, height: height + 4, label: says },
      shape('rect', {
        ...{ x: boxes.store, y: TOP - 8, width: 110, height: height - TOP + 4, rx: 10, fill: 'none' },
        ...{ stroke: isServed ? 'var(--ink)' : 'var(--line)', 'stroke-width': 1.5 },
        'stroke-dasharray': isServed ? undefined : '5 4',
      }),
      text(isServed ? 'store of rank 0' : 'no store yet', {
        ...{ x: boxes.store + 55, y: TOP - 16, 'text-anchor': 'middle', fill: isServed ? 'var(--ink)' : 'var(--soft)' },
      }),
      ...processes.flatMap((process) => row(process, missing, boxes)),
    ),
    says,
    values: [
      {
        id: 'started',
        label: 'processes started',
        value: processes.filter(({ last }) => last).length,
        format: 'count',
      },
      { id: 'keys', label: 'keys in the store', value: RANKS.length - missing.length, format: 'count' },
      { id: 'calls', label: 'calls so far', value: calls.length, format: 'count' },
    ],
  };
}

export const kind: DrawingKind = {
  knobs: () => [
    { key: 'moment', label: 'Moment', values: ['0', '1', '2', '3', '4', '5'], play: true },
    {
      ...{ key: 'late', label: 'Last to start', values: ['rank 3', 'rank 0', 'never'] },
      words: ['rank 3', 'rank 0', 'rank 3 has crashed'],
    },
  ],
  start: () => ({ moment: '3', late: 'rank 3' }),
  draw,
};
