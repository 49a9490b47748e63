/**
 * The timeline: per device its kernels above its communication, on one clock, with the cursor and an explanation of the
 * selection. This file joins the timeline to the page. use-timeline-picture.ts has the canvas; timeline-scene.ts
 * decides the places, timeline-marks.ts the marks, paint-timeline.ts the looks. The surrounding section belongs to the
 * page.
 */
import { type RefObject, useMemo, useRef, useState } from 'react';
import { useLinked } from '../address/use-linked';
import styles from '../lanes/lanes.module.css';
import tools from '../lanes/tools.module.css';
import { useLanesPointer } from '../lanes/use-lanes-pointer';
import { type ViewWindow, zoomedBy } from '../lanes/view-window';
import { SavePicture } from '../picture/save-button';
import { useApp, useAppStore, useSettled } from '../state/use-app';
import { EventsTable } from './events-table';
import { Pointed, Selected } from './explained';
import { Hand } from './hand';
import { MoreLanes } from './more-lanes';
import { revealed, timelineKeyDown } from './obey-keys';
import { searchEvents } from './search';
import { type Selection, sameSelection, selectionOf } from './selection';
import { TimelineHead } from './timeline-head';
import { parseTimeline, printTimeline } from './timeline-link';
import type { TimelineModel } from './timeline-model';
import type { TimelineItem } from './timeline-scene';
import { TimelineSearchField } from './timeline-search-field';
import { useSelection } from './use-selection';
import { useTimelinePicture } from './use-timeline-picture';
import { pathWords } from './why-words';

export function Timeline() {
  const store = useAppStore();
  const hand = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [pointed, setPointed] = useState<string>();
  const [path, setPath] = useState(false);
  const locked = useApp((app) => app.lock.has('transport'));
  const { selection, select, go } = useSelection(locked);
  const { query, matches, setQuery } = useSearch();
  const picture = useTimelinePicture({ pointed, selection, matches, path });
  const { canvas, view, model, size, request, onPainted } = picture;

  const show = (next: ViewWindow) => {
    model.view = next;
    request();
  };
  const reveal = (next: Selection | undefined) => {
    select(next);
    if (next) show(revealed(model, store.getState(), next));
    if (next) scrollTo(view, model, next);
  };
  const scrub = (x: number) => {
    const place = model.placeAt(store.getState(), x);
    if (place) go(place.event, place.fraction);
  };
  const hands = useLanesPointer(hand, {
    model,
    top: () => view.current?.scrollTop ?? 0,
    scrolls: () => view.current !== null && view.current.scrollHeight > view.current.clientHeight + 1,
    onView: show,
    onScrub: scrub,
    onPick: (item, x) => {
      if (item?.event === undefined) scrub(x);
      if (item) select(sameSelection(selectionOf(item), selection) ? undefined : selectionOf(item));
    },
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
      <TimelineHead onZoom={(factor) => show(zoomedBy(model.view, factor))}>
        <TimelineSearchField
          field={field}
          query={query}
          matches={matches}
          selection={selection}
          onQuery={setQuery}
          onFound={reveal}
          onLeave={() => hand.current?.focus()}
        />
        <button type="button" className={tools['toggle']} aria-pressed={path} onClick={() => setPath(!path)}>
          critical path
        </button>
        <SavePicture name="timeline" what="the timeline" figure={picture.figure} />
        <EventsTable />
      </TimelineHead>
      {path && <PathLine model={model} />}
      <div ref={view} className={styles['view']} onScroll={picture.onScroll}>
        <div className={styles['lanes']} style={{ height: size.height }}>
          <canvas
            ref={canvas}
            role="img"
            aria-label="Lanes of the devices over time; the table below lists their events"
            style={size}
          />
          <Hand hand={hand} locked={locked} onKeyDown={onKeyDown} hands={hands} />
        </div>
        <MoreLanes view={view} model={model} panel={picture.panel} height={size.height} />
      </div>
      {selection && (
        <Selected model={model} selection={selection} width={size.width} onSelect={reveal} view={view} hand={hand} />
      )}
      {pointed !== undefined && <Pointed id={pointed} model={model} onPainted={onPainted} canvas={canvas.current} />}
    </div>
  );
}

interface Shown {
  readonly query: string;
  readonly path: boolean;
  readonly selection: Selection | undefined;
}

/** The timeline's part of a link: writes the shown state into it, and applies it when a link is opened. */
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

/** Scrolls the panel to the lane of a selection. */
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
