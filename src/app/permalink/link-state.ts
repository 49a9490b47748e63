/**
 * The part of a permalink that describes where the page is in its run: step and moment, clock and pace, and what is
 * selected and open. Only a link shared for this purpose contains it; the address bar describes only the run. Pure:
 * state-here.ts reads this state off the page, arrival.ts brings a page to it.
 */
import type { Config } from '../../protocol/config';
import { firstOfStep } from '../../protocol/micro-batches';
import { FULL_SPEED, type Pace, placeOf, SPEEDS, secondsAt, setByHand, speedAt } from '../pace/pace';
import { isPanel, PANELS } from './page-parts';
import { parseValue, printValue } from './permalink-values';

export const STATE_KEYS = [
  'at',
  'moment',
  'event',
  'clock',
  'speed',
  'select',
  'open',
  'view',
  'tab',
  'units',
  'timeline',
] as const;
type StateKey = (typeof STATE_KEYS)[number];

export interface LinkState {
  /** The step, counted from 1 as on the page; `part`: its micro-batch, if not the last. */
  readonly at: { readonly step: number; readonly part: number | undefined } | 'construct' | undefined;
  /** The moment at whose end the cursor rests; 0: before the first. */
  readonly moment: number | undefined;
  /** The event at which the cursor rests, counted from 1; `fraction`: how far the cursor is within it. */
  readonly event: { readonly number: number; readonly fraction: number } | undefined;
  readonly clock: 'measured' | undefined;
  /** The held pace. */
  readonly pace: Pace | undefined;
  /** The event that is selected, counted from 1. */
  readonly select: number | undefined;
  /** What each panel shows, by the panel's name; also 'view', 'tab', 'units' and 'timeline'. */
  readonly shown: ReadonlyMap<string, string>;
}

export const NO_STATE: LinkState = {
  at: undefined,
  moment: undefined,
  event: undefined,
  clock: undefined,
  pace: undefined,
  select: undefined,
  shown: new Map(),
};

/** A run needs a long time to reach this step, but the user can stop it. */
const MOST_STEPS = 1e9;
const MOST_EVENTS = 1e6;

const STEP = /^([1-9]\d*)(?:\.([1-9]\d*))?$/;
const EVENT = /^(\d+)(?::(0\.\d+))?$/;
const OPEN = /^([a-z-]+)(?::(\d{1,3}))?$/;

function parseAt(text: string): LinkState['at'] {
  if (text === 'construct') return 'construct';
  const [, step, part] = STEP.exec(text) ?? [];
  const read = { step: Number(step), part: part === undefined ? undefined : Number(part) };
  return step !== undefined && read.step <= MOST_STEPS && (read.part ?? 1) <= MOST_EVENTS ? read : undefined;
}

function parseEvent(text: string): LinkState['event'] {
  const [, number, fraction] = EVENT.exec(text) ?? [];
  if (number === undefined || Number(number) > MOST_EVENTS) return undefined;
  return { number: Number(number), fraction: fraction === undefined ? 1 : Number(fraction) };
}

const whole = (text: string): number | undefined => {
  const event = parseEvent(text);
  return event?.fraction === 1 ? event.number : undefined;
};

/** 'moment', '10s' to '0.2s' per step, '20/s', 'full'. */
function parsePace(text: string): Pace | undefined {
  const named = SPEEDS.findIndex((speed) => speed.kind !== 'walk' && nameOf(speed) === text);
  if (named >= 0) return setByHand(named);
  const seconds = /^\d+(\.\d+)?s$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  const [least, most] = [secondsAt(Number.POSITIVE_INFINITY), secondsAt(0)];
  return seconds >= least && seconds <= most ? { place: placeOf(seconds), held: true } : undefined;
}

const nameOf = (speed: (typeof SPEEDS)[number]): string => {
  if (speed.kind === 'moments') return 'moment';
  if (speed === SPEEDS[FULL_SPEED]) return 'full';
  return `${speed.kind === 'free' ? speed.perSecond : ''}/s`;
};

const printPace = (pace: Pace): string => {
  const speed = speedAt(pace);
  return speed.kind === 'walk' ? `${Number(secondsAt(pace.place).toPrecision(3))}s` : nameOf(speed);
};

const PACES = 'moment, 10s to 0.2s per step, 20/s or full';

type Bad = (key: string, text: string, why: string) => void;

function parseOpen(text: string, bad: Bad): readonly (readonly [string, string])[] {
  const names = text.split(',').filter((name) => name !== '');
  const read = names.map((name) => [name, OPEN.exec(name)] as const);
  const unknown = read.flatMap(([name, found]) => (found && isPanel(found[1] ?? '') ? [] : [name]));
  if (unknown.length > 0) bad('open', unknown.join(','), `allowed are ${PANELS.join(', ')}`);
  return read.flatMap(([, found]) => (found && isPanel(found[1] ?? '') ? [[found[1] ?? '', found[2] ?? '']] : []));
}

/** A value with fields; the timeline itself reads their names and limits. */
function parseTimeline(text: string): string | undefined {
  const value = parseValue(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? printValue(value) : undefined;
}

const TIMELINE = "a text as in (from:0.2,to:0.5,find:'all_reduce',path:true)";

const SCHEDULE_TABS = 'schedule, build or timeline';

export function parseState(pairs: ReadonlyMap<string, string>, bad: Bad): LinkState {
  const read = <T>(key: StateKey, parse: (text: string) => T | undefined, allowed: string): T | undefined => {
    const text = pairs.get(key);
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && value === undefined) bad(key, text, `must be ${allowed}`);
    return value;
  };
  const clock = read('clock', (text) => (text === 'measured' || text === 'modelled' ? text : undefined), 'measured');
  const open = parseOpen(pairs.get('open') ?? '', bad);
  const view = read('view', (text) => (/^[a-z]{1,20}$/.test(text) ? text : undefined), 'the name of a view');
  const tab = read('tab', (text) => (/^(schedule|build|timeline)$/.test(text) ? text : undefined), SCHEDULE_TABS);
  const units = read('units', (text) => (/^[01]$/.test(text) ? text : undefined), '0 or 1');
  const timeline = read('timeline', parseTimeline, TIMELINE);
  const moment = read('moment', whole, `a whole number to ${MOST_EVENTS}`);
  const event = read('event', parseEvent, `a whole number to ${MOST_EVENTS}, and how far it is, as in 14:0.5`);
  const at = read('at', parseAt, `a step from 1 to ${MOST_STEPS}, 3.2 for its second micro-batch, or construct`);
  return {
    at: at ?? (moment !== undefined || event !== undefined ? { step: 1, part: undefined } : undefined),
    moment,
    event,
    clock: clock === 'measured' ? clock : undefined,
    pace: read('speed', parsePace, `one of ${PACES}`),
    select: read('select', (text) => whole(text) || undefined, `a whole number from 1 to ${MOST_EVENTS}`),
    shown: new Map([
      ...open,
      ...(view === undefined ? [] : [['view', view] as const]),
      ...(tab === undefined ? [] : [['tab', tab] as const]),
      ...(units === undefined ? [] : [['units', units] as const]),
      ...(timeline === undefined ? [] : [['timeline', timeline] as const]),
    ]),
  };
}

const printFraction = (fraction: number): string => {
  const text = fraction >= 1 ? '' : `:${Math.min(fraction, 0.999).toFixed(3).replace(/0+$/, '')}`;
  return text.replace(/\.$/, '.0');
};

const printAt = (at: NonNullable<LinkState['at']>): string =>
  at === 'construct' ? at : `${at.step}${at.part === undefined ? '' : `.${at.part}`}`;

const printOpen = (shown: LinkState['shown']): string =>
  PANELS.flatMap((name) => {
    const detail = shown.get(name);
    return detail === undefined ? [] : [detail === '' ? name : `${name}:${detail}`];
  }).join(',');

export function printState({ at, moment, event, clock, pace, select, shown }: LinkState): readonly [string, string][] {
  const texts: Readonly<Record<StateKey, string | undefined>> = {
    at: at && printAt(at),
    moment: moment?.toString(),
    event: event && `${event.number}${printFraction(event.fraction)}`,
    clock,
    speed: pace && printPace(pace),
    select: select?.toString(),
    open: printOpen(shown),
    view: shown.get('view'),
    tab: shown.get('tab'),
    units: shown.get('units'),
    timeline: shown.get('timeline'),
  };
  return STATE_KEYS.flatMap((key): [string, string][] => (texts[key] ? [[key, texts[key]]] : []));
}

/** The micro-batch of `at`, counted from 0; without a part, the step's last. */
export const microBatchAt = (
  { step, part }: Exclude<NonNullable<LinkState['at']>, 'construct'>,
  config: Pick<Config, 'accumulate'>,
): number => firstOfStep(step - 1, config) + Math.min(part ?? config.accumulate, config.accumulate) - 1;
