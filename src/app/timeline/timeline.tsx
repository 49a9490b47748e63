/**
 * The timeline: per device its kernels above its communication, on one clock, with the cursor and an explanation of the
 * selection. This file joins the timeline to the page. use-timeline-picture.ts has the canvas; timeline-scene.ts
 * decides the places, timeline-marks.ts the marks, paint-timeline.ts the looks. The surrounding section belongs to the
 * page.
 */
import { type RefObject, useMemo, useState } from 'react';
import { useLinked } from '../address/use-linked';
import styles from '../lanes/lanes.module.css';
import { LanesCanvas } from '../lanes/lanes-canvas';
import { SearchField } from '../lanes/search-field';
import tools from '../lanes/tools.module.css';
import { type Lanes, useLanes } from '../lanes/use-lanes';
import { SavePicture } from '../picture/save-button';
import { useApp, useAppStore, useSettled } from '../state/use-app';
import { EventsTable } from './events-table';
import { Pointed, Selected } from './explained';
import { Hand } from './hand';
import { MoreLanes } from './more-lanes';
import { timelineKeys } from './obey-keys';
import { searchEvents } from './search';
import { type Selection, sameSelection, selectionOf, sharesOf } from './selection';
import { TimelineHead } from './timeline-head';
import { parseTimeline, printTimeline } from './timeline-link';
import type { TimelineModel } from './timeline-model';
import type { TimelineItem } from './timeline-scene';
import { useSelection } from './use-selection';
import { useTimelinePicture } from './use-timeline-picture';
import { pathWords } from './why-words';

export function Timeline() {
  const store = useAppStore();
  const [pointed, setPointed] = useState<string>();
  const [path, setPath] = useState(false);
  const locked = useApp((app) => app.lock.has('transport'));
  const { selection, select, go } = useSelection(locked);
  const { query, matches, setQuery } = useSearch();
  const { model, panel, picture } = useTimelinePicture({ pointed, selection, matches: matches?.list, path });
  const { view, size } = picture;
  const togglePath = () => setPath(!path);
  const scrub = (x: number) => {
    const place = model.placeAt(store.getState(), x);
    if (place) go(place.event, place.fraction);
  };
  const lanes: Lanes<Selection> = useLanes<TimelineItem, Selection>({
    model,
    picture,
    selection,
    select,
    stretchOf: (chosen) => sharesOf(model.parts(store.getState()), chosen),
    scrollTo: (chosen) => scrollTo(view, model, chosen),
    keys: (event) =>
      timelineKeys({ model, app: store.getState(), selection, go, reveal: lanes.reveal, togglePath }, event),
    onScrub: scrub,
    onPick(item, x) {
      if (item?.event === undefined) scrub(x);
      if (item) select(sameSelection(selectionOf(item), selection) ? undefined : selectionOf(item));
    },
    onPoint(item) {
      setPointed(item?.id);
      store.getState().hover(item?.event);
    },
  });
  useTimelineLink(model, { query, path, selection }, (asked) => {
    setQuery(asked.query);
    setPath(asked.path);
    if (asked.idle) select({ kind: 'idle', stretch: asked.idle });
    lanes.show(asked.view);
  });
  const chosen = selection?.kind === 'event' ? selection.event : undefined;
  return (
    <div className={styles['root']}>
      <TimelineHead onZoom={lanes.zoomBy}>
        <SearchField
          lanes={lanes}
          hint="search: bucket 1 …"
          query={query}
          matches={matches}
          selected={
            chosen === undefined ? undefined : { is: (event) => event === chosen, isBefore: (event) => event < chosen }
          }
          onQuery={setQuery}
          onFound={(event) => lanes.reveal({ kind: 'event', event })}
        />
        <button type="button" className={tools['toggle']} aria-pressed={path} onClick={togglePath}>
          critical path
        </button>
        <SavePicture name="timeline" what="the timeline" figure={{ picture: async () => picture.saved() }} />
        <EventsTable />
      </TimelineHead>
      {path && <PathLine model={model} />}
      <div ref={view} className={styles['view']} onScroll={picture.onScroll}>
        <LanesCanvas picture={picture} label="Lanes of the devices over time; the table below lists their events">
          <Hand lanes={lanes} locked={locked} />
        </LanesCanvas>
        <MoreLanes view={view} model={model} panel={panel} height={size.height} />
      </div>
      {selection && <Selected model={model} selection={selection} width={size.width} lanes={lanes} view={view} />}
      {pointed !== undefined && <Pointed id={pointed} model={model} picture={picture} />}
    </div>
  );
}

interface LinkedState {
  readonly query: string;
  readonly path: boolean;
  readonly selection: Selection | undefined;
}

/** The timeline's part of a link: writes the shown state into it, and applies it when a link is opened. */
function useTimelineLink(
  model: TimelineModel,
  { query, path, selection }: LinkedState,
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
  const matches = useMemo(() => {
    const list = trace && searchEvents(trace, query);
    return list && { list, count: list.length };
  }, [trace, query]);
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
