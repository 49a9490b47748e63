/**
 * The timeline: per device its kernels over its communication, on one clock, with the cursor; what is selected on it is
 * explained beside it. This file joins the page to it; what lies where is decided by timeline-scene.ts, what is marked
 * by timeline-marks.ts, how it looks by paint-timeline.ts. The section around it belongs to the page.
 */
import { type RefObject, type UIEvent, useCallback, useMemo, useRef, useState } from 'react';
import type { Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { useSize, useSurface } from '../draw/use-surface';
import { useLinked } from '../permalink/use-linked';
import type { Figure } from '../picture/figure-picture';
import { SavePicture } from '../picture/save-button';
import { useApp, useAppStore, useMedia, useSettled } from '../state/use-app';
import { EventsTable } from './events-table';
import { Pointed, Selected } from './explained';
import { Hand } from './hand';
import { revealed, timelineKeyDown } from './obey-keys';
import { paintTimeline } from './paint-timeline';
import { nextMatch, searchEvents } from './search';
import { SearchField } from './search-field';
import { type Selection, sameSelection, selectionOf } from './selection';
import { StepsStrip } from './steps-strip';
import styles from './timeline.module.css';
import { TimelineHead } from './timeline-head';
import { parseTimeline, printTimeline } from './timeline-link';
import { marksOf } from './timeline-marks';
import { createTimelineModel, type TimelineModel } from './timeline-model';
import type { TimelineItem } from './timeline-scene';
import tools from './timeline-tools.module.css';
import { useSelection } from './use-selection';
import { useTimelinePointer } from './use-timeline-pointer';
import { type ViewWindow, WHOLE, zoom } from './view-window';
import { pathWords } from './why-words';

/** Where the panel has the height that the page gives it; elsewhere the page scrolls and it takes what it needs. */
const ONE_SCREEN = '(min-width: 721px) and (min-height: 600px)';

export function Timeline() {
  const store = useAppStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const hand = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const room = useSize(view);
  const oneScreen = useMedia(ONE_SCREEN);
  const embed = useApp((app) => app.embed);
  const { width } = room;
  const own = oneScreen && !embed && room.height > 0 ? room.height : undefined;
  const panel: Panel = useMemo(() => ({ width, height: own }), [width, own]);
  const model = useMemo(createTimelineModel, []);
  /** How far the lanes are scrolled: asking the element in a frame would lay the page out in the midst of drawing. */
  const scrolled = useRef(0);
  const [pointed, setPointed] = useState<string>();
  const [path, setPath] = useState(false);
  const locked = useApp((app) => app.lock.has('transport'));
  const height = useApp((app) => model.layout(app, panel).height);
  const surface = useMemo(() => ({ width, height }), [width, height]);
  const { selection, select, go } = useSelection(locked);
  const { query, matches, setQuery } = useSearch();

  const draw = useCallback(
    (ink: Ink) => {
      const app = store.getState();
      const scene = model.look(app, panel);
      const marks = marksOf(model, app, scene, { pointed, selection, matches, path });
      const parts = model.parts(app);
      paintTimeline(ink, scene, marks, parts && { parts, view: model.view, top: scrolled.current, band: model.band });
    },
    [store, model, panel, pointed, selection, matches, path],
  );
  const request = useSurface(canvas, surface, draw);

  const figure = figureOf(model, panel, surface, { selection, matches, path });

  const onScroll = (event: UIEvent<HTMLElement>) => {
    scrolled.current = event.currentTarget.scrollTop;
    request();
  };
  const show = (next: ViewWindow) => {
    model.view = next;
    request();
  };
  const reveal = (next: Selection | undefined) => {
    select(next);
    if (next) show(revealed(model, store.getState(), next));
    if (next) scrollTo(view, model, next);
  };
  const hands = useTimelinePointer(hand, {
    model,
    top: () => view.current?.scrollTop ?? 0,
    onView: show,
    onScrub: (x) => {
      const place = model.placeAt(store.getState(), x);
      if (place) go(place.event, place.fraction);
    },
    onPick: (item) => select(sameSelection(selectionOf(item), selection) ? undefined : selectionOf(item)),
    onPoint: (item: TimelineItem | undefined) => {
      setPointed(item?.id);
      store.getState().hover(item?.event);
    },
  });
  useTimelineLink(model, { query, path, selection }, (asked) => {
    setQuery(asked.query);
    setPath(asked.path);
    if (asked.idle) select({ kind: 'idle', stretch: asked.idle });
    show(asked.view);
  });
  const step = (by: 1 | -1) => {
    const event = matches && nextMatch(matches, selection?.kind === 'event' ? selection.event : undefined, by);
    if (event !== undefined) reveal({ kind: 'event', event });
  };
  const onKeyDown = timelineKeyDown({
    model,
    app: store.getState,
    selection: () => selection,
    go,
    show,
    select: reveal,
    search: () => field.current?.focus(),
    togglePath: () => setPath(!path),
  });
  return (
    <div className={styles['root']}>
      <TimelineHead onZoom={(factor) => show(factor === 0 ? WHOLE : zoom(model.view, factor, 0.5))}>
        <SearchField
          field={field}
          query={query}
          matches={matches}
          selected={selection?.kind === 'event' ? selection.event : undefined}
          onQuery={setQuery}
          onStep={step}
          onLeave={() => hand.current?.focus()}
        />
        <button type="button" className={tools['toggle']} aria-pressed={path} onClick={() => setPath(!path)}>
          critical path
        </button>
        <StepsStrip />
        <SavePicture name="timeline" what="the timeline" figure={figure} />
        <EventsTable />
      </TimelineHead>
      {path && <PathLine model={model} />}
      <div ref={view} className={styles['view']} onScroll={onScroll}>
        <div className={styles['lanes']} style={{ height }}>
          <canvas
            ref={canvas}
            role="img"
            aria-label="Lanes of the devices over time; the table below lists their events"
            style={{ width, height }}
          />
          <Hand hand={hand} locked={locked} onKeyDown={onKeyDown} hands={hands} />
        </div>
      </div>
      {selection && (
        <Selected model={model} selection={selection} width={width} onSelect={reveal} view={view} hand={hand} />
      )}
      {pointed !== undefined && <Pointed id={pointed} find={() => model.scene?.items ?? []} canvas={canvas.current} />}
    </div>
  );
}

type Panel = Parameters<TimelineModel['look']>[1];
type Marked = Omit<Parameters<typeof marksOf>[3], 'pointed'>;

/** The timeline as a picture: all of its lanes, whatever part of them the panel shows. */
const figureOf = (model: TimelineModel, panel: Panel, size: Size, marked: Marked): Figure => ({
  async picture(app) {
    const parts = model.parts(app);
    const scene = model.look(app, panel);
    const marks = marksOf(model, app, scene, { ...marked, pointed: undefined });
    const shown = parts && { parts, view: model.view, top: 0, band: undefined };
    return shown && { ...size, paint: (ink) => paintTimeline(ink, scene, marks, shown) };
  },
});

interface Shown {
  readonly query: string;
  readonly path: boolean;
  readonly selection: Selection | undefined;
}

/** What a link says of the timeline: written from what is shown, and read where a link is opened. */
function useTimelineLink(
  model: TimelineModel,
  { query, path, selection }: Shown,
  onAsked: (asked: ReturnType<typeof parseTimeline>) => void,
): void {
  const store = useAppStore();
  useLinked('timeline', {
    read: () => {
      const idle = selection?.kind === 'idle' ? selection.stretch : undefined;
      return printTimeline({ view: model.view, query, path, idle }, model.parts(store.getState()));
    },
    show: (text) => onAsked(parseTimeline(text, model.parts(store.getState()))),
  });
}

/** Brings the lane of a selection into a panel that scrolls. */
function scrollTo(view: RefObject<HTMLDivElement | null>, { scene }: TimelineModel, selection: Selection): void {
  const item = scene?.items.find((i) => sameSelection(selectionOf(i), selection));
  const element = view.current;
  if (!item || !element || !scene) return;
  const head = scene.layout.axis.y + scene.layout.axis.height;
  const { y, height } = item.rect;
  if (y < element.scrollTop + head) element.scrollTop = y - head;
  else if (y + height > element.scrollTop + element.clientHeight)
    element.scrollTop = y + height - element.clientHeight + 6;
}

function useSearch() {
  const [query, setQuery] = useState('');
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 200);
  const matches = useMemo(() => (trace ? searchEvents(trace, query) : undefined), [trace, query]);
  return { query, matches, setQuery };
}

function PathLine({ model }: { readonly model: TimelineModel }) {
  const store = useAppStore();
  useSettled((app) => app.cursor && app.traces[app.cursor.trace], 200);
  useApp((app) => app.clock);
  const causes = model.causes(store.getState());
  const path = model.path(store.getState());
  return (
    <p className={tools['path']} role="status" aria-label="Critical path">
      {causes && path ? pathWords(causes, path) : 'Nothing has run yet.'}
    </p>
  );
}
