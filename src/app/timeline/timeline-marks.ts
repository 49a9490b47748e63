/**
 * The marks over the timeline's lanes: the hovered item, the selection with arrows back to its cause, the matches of a
 * search, the critical path, the current moment. Pure.
 */
import { at } from '../../base/invariant';
import type { CriticalPath } from '../../trace/critical-path';
import { hasMoments, momentAt } from '../../trace/moments/moment';
import { type WaitChain, waitChain } from '../../trace/wait-chain';
import type { Rect } from '../draw/geometry';
import type { App } from '../state/app-state';
import type { Arrow, TimelineMarks } from './paint-marks';
import { type Selection, sameSelection } from './selection';
import type { TimelineModel } from './timeline-model';
import type { TimelineScene } from './timeline-scene';

export interface Wanted {
  /** The id of the hovered item. */
  readonly pointed: string | undefined;
  readonly selection: Selection | undefined;
  readonly matches: readonly number[] | undefined;
  readonly path: boolean;
}

const NOTHING: ReadonlySet<number> = new Set();

export function marksOf(model: TimelineModel, app: App, scene: TimelineScene, wanted: Wanted): TimelineMarks {
  const trace = app.cursor && app.traces[app.cursor.trace];
  const causes = wanted.selection || wanted.path ? model.causes(app) : undefined;
  const rectsOf = (event: number | undefined) =>
    event === undefined ? [] : scene.items.filter((item) => item.event === event).map((item) => item.rect);
  const inBucket = (event: number | undefined) =>
    app.hoveredBucket !== undefined && event !== undefined && trace?.events[event]?.bucket === app.hoveredBucket;
  const place = (event: number): readonly Rect[] => {
    const rect = model.rectOf(app, event);
    return rect ? [rect] : [];
  };
  const arrow = (from: number, to: number): readonly Arrow[] =>
    place(from).flatMap((start) => place(to).map((end) => ({ from: start, to: end })));
  const path = wanted.path && causes ? model.path(app) : undefined;
  const asked = wanted.selection && chainOf(wanted.selection);
  const chain =
    asked === undefined || !causes || !trace || asked >= trace.events.length ? undefined : waitChain(causes, asked);
  const moment = trace && app.cursor && hasMoments(trace) ? momentAt(trace.moments, app.cursor.event) : undefined;
  return {
    hovered: [
      ...rectsOf(app.hovered),
      ...scene.items.filter((item) => item.id === wanted.pointed || inBucket(item.event)).map((item) => item.rect),
    ],
    selected:
      wanted.selection?.kind === 'event'
        ? place(wanted.selection.event)
        : scene.items.filter((item) => isSelected(item, wanted.selection)).map((item) => item.rect),
    lit: wanted.matches ? new Set(wanted.matches) : path && new Set(path.events),
    path: path ? path.events.flatMap(place) : [],
    pathArrows:
      path && trace
        ? hopsOf(
            path,
            trace.events.map((e) => e.device),
          ).flatMap(([from, to]) => arrow(from, to))
        : [],
    chain: chain ? chainEvents(chain).flatMap(place) : [],
    arrows: chain ? chainArrows(chain).flatMap(([from, to]) => arrow(from, to)) : [],
    moment: moment
      ? new Set(moment.events)
      : app.cursor && app.cursor.event >= 0
        ? new Set([app.cursor.event])
        : NOTHING,
  };
}

/** The event whose waiting is explained. */
function chainOf(selection: Selection): number | undefined {
  if (selection.kind === 'event') return selection.event;
  const { stretch } = selection;
  return stretch.of === 'comm' ? stretch.wait.next : stretch.gap.reason()?.awaited;
}

function isSelected(item: TimelineScene['items'][number], selection: Selection | undefined): boolean {
  return item.idle !== undefined && sameSelection({ kind: 'idle', stretch: item.idle }, selection);
}

/** The pairs of events at which the critical path moves from one device to another. */
const hopsOf = ({ events }: CriticalPath, devices: readonly number[]): readonly (readonly [number, number])[] =>
  events.slice(1).flatMap((event, k): (readonly [number, number])[] => {
    const before = at(events, k);
    return devices[event] === devices[before] ? [] : [[before, event]];
  });

const chainEvents = ({ hops, cause }: WaitChain): readonly number[] =>
  hops.length === 0 ? [] : [...hops.flatMap(({ send, recv }) => [send, recv]), ...(cause === undefined ? [] : [cause])];

/** The arrows of a chain in the order of time, from the cause to the selection. */
function chainArrows({ hops, cause }: WaitChain): readonly (readonly [number, number])[] {
  const last = hops.at(-1);
  if (!last) return [];
  const messages = hops.map(({ send, recv }): readonly [number, number] => [send, recv]);
  return cause === undefined ? messages : [...messages, [cause, last.send]];
}
