/**
 * The timeline's part of a link to an exact state: the window in view, the search text, whether the critical path is
 * highlighted, and a selected idle stretch (a selected span is the page's own selection). As a text:
 * `(from:0.2,to:0.5,find:'all_reduce',path:true)`. Pure.
 */
import * as v from 'valibot';
import { between, type ViewWindow, WHOLE } from '../lanes/view-window';
import { parseValue, printValue } from '../permalink/permalink-values';
import type { LaneParts } from './lane-parts';
import type { IdleStretch } from './timeline-scene';

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const settings = v.object({
  from: v.optional(share, 0),
  to: v.optional(share, 1),
  find: v.optional(v.pipe(v.string(), v.maxLength(200)), ''),
  path: v.optional(v.boolean(), false),
  /** Identifies an idle stretch of a device: the whole device is idle, or only its communication. */
  idle: v.optional(v.object({ type: v.picklist(['device', 'comm']), device: index, index })),
});

export interface LinkedTimeline {
  readonly view: ViewWindow;
  readonly query: string;
  readonly path: boolean;
  readonly idle: IdleStretch | undefined;
}

/** The text for the timeline's state; undefined for the initial state. */
export function printTimeline({ view, query, path, idle }: LinkedTimeline, parts: LaneParts | undefined) {
  const [from, to] = [view.from, view.to].map((place) => Number(place.toFixed(4)));
  const text = printValue({
    ...(from === WHOLE.from ? {} : { from }),
    ...(to === WHOLE.to ? {} : { to }),
    ...(query === '' ? {} : { find: query }),
    ...(path ? { path } : {}),
    ...(idle && parts ? { idle: placeOf(idle, parts) } : {}),
  });
  return text === '()' ? undefined : text;
}

/** Reads the text; unreadable parts, and stretches that do not exist, are left out. */
export function parseTimeline(text: string, parts: LaneParts | undefined): LinkedTimeline {
  const read = v.safeParse(settings, parseValue(text));
  if (!read.success) return { view: WHOLE, query: '', path: false, idle: undefined };
  const { from, to, find, path, idle } = read.output;
  const whole = from === 0 && to === 1;
  return { view: whole ? WHOLE : between(from, to), query: find, path, idle: idle && stretchAt(idle, parts) };
}

function placeOf(idle: IdleStretch, { devices }: LaneParts) {
  const { device, startUs } = idle.of === 'comm' ? idle.wait : idle.gap;
  const lane = devices.find((one) => one.device === device);
  const among = (idle.of === 'comm' ? lane?.waits : lane?.gaps) ?? [];
  return {
    type: idle.of,
    device,
    index: Math.max(
      0,
      among.findIndex((stretch) => stretch.startUs === startUs),
    ),
  };
}

interface StretchPlace {
  readonly type: IdleStretch['of'];
  readonly device: number;
  readonly index: number;
}

function stretchAt(
  { type, device, index: place }: StretchPlace,
  parts: LaneParts | undefined,
): IdleStretch | undefined {
  const lane = parts?.devices.find((one) => one.device === device);
  const [gap, wait] = [lane?.gaps[place], lane?.waits[place]];
  if (type === 'comm') return wait && { of: 'comm', wait };
  return gap && { of: 'device', gap };
}
