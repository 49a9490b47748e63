/**
 * The timeline: per device its kernels over its communication, on one clock, with the cursor. This file joins the page
 * to it; what lies where is decided by timeline-scene.ts, how it looks by paint-timeline.ts. The section around it
 * belongs to the page.
 */

import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react';
import { lookup } from '../../base/lookup';
import type { Ink } from '../draw/ink';
import { Tooltip } from '../draw/tooltip';
import { useSize, useSurface } from '../draw/use-surface';
import { useApp, useAppStore, useController, useSettled } from '../state/use-app';
import { cursorText } from './event-label';
import { EventsTable } from './events-table';
import { paintTimeline } from './paint-timeline';
import { StepsStrip } from './steps-strip';
import styles from './timeline.module.css';
import { TimelineHead } from './timeline-head';
import { createTimelineModel } from './timeline-model';
import type { TimelineItem } from './timeline-scene';
import { useTimelinePointer } from './use-timeline-pointer';
import { pan, type ViewWindow, WHOLE, zoom } from './view-window';

const KEY_ZOOM = 1.5;
const KEY_PAN = 0.2;

export function Timeline() {
  const store = useAppStore();
  const { player } = useController();
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const hand = useRef<HTMLDivElement>(null);
  const { width } = useSize(view);
  const model = useMemo(createTimelineModel, []);
  const [pointed, setPointed] = useState<string>();
  const locked = useApp((app) => app.lock.has('transport'));
  const height = useApp((app) => model.layout(app, width).height);
  const surface = useMemo(() => ({ width, height }), [width, height]);

  const draw = useCallback(
    (ink: Ink) => {
      const app = store.getState();
      const scene = model.look(app, width);
      const rectsOf = (event: number | undefined) =>
        event === undefined ? [] : scene.items.filter((item) => item.event === event).map((item) => item.rect);
      const events = app.cursor && app.traces[app.cursor.trace]?.events;
      const ofBucket = (event: number | undefined) =>
        app.hoveredBucket !== undefined && event !== undefined && events?.[event]?.bucket === app.hoveredBucket;
      const bucket = scene.items.filter((item) => ofBucket(item.event)).map((item) => item.rect);
      const own = scene.items.filter((item) => item.id === pointed).map((item) => item.rect);
      paintTimeline(ink, scene, { hovered: [...rectsOf(app.hovered), ...own, ...bucket], pinned: rectsOf(app.pinned) });
    },
    [store, model, width, pointed],
  );
  const request = useSurface(canvas, surface, draw);

  const show = (next: ViewWindow) => {
    model.view = next;
    request();
  };
  const go = (event: number, fraction = 1) => {
    const { cursor, seek } = store.getState();
    if (!cursor || locked) return;
    // The player stops what plays; the fraction is the timeline's own.
    player.seek(cursor.trace, event);
    if (fraction < 1) seek(cursor.trace, event, fraction);
  };
  const hands = useTimelinePointer(hand, {
    model,
    onView: show,
    onScrub: (x) => {
      const place = model.placeAt(store.getState(), x);
      if (place) go(place.event, place.fraction);
    },
    onPick: (item) => {
      if (item.event === undefined) return;
      go(item.event);
      store.getState().pin(item.event);
    },
    onPoint: (item: TimelineItem | undefined) => {
      setPointed(item?.id);
      store.getState().hover(item?.event);
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const { cursor, traces } = store.getState();
    const now = cursor?.event ?? -1;
    const last = ((cursor && traces[cursor.trace]?.events.length) ?? 0) - 1;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowRight: () => (event.shiftKey ? show(pan(model.view, KEY_PAN)) : go(now + 1)),
      ArrowUp: () => go(now + 1),
      ArrowLeft: () => (event.shiftKey ? show(pan(model.view, -KEY_PAN)) : go(now - 1)),
      ArrowDown: () => go(now - 1),
      PageUp: () => go(now + 10),
      PageDown: () => go(now - 10),
      Home: () => go(-1),
      End: () => go(last),
      '+': () => show(zoom(model.view, KEY_ZOOM, model.across(model.scene?.cursorX ?? 0))),
      '=': () => show(zoom(model.view, KEY_ZOOM, model.across(model.scene?.cursorX ?? 0))),
      '-': () => show(zoom(model.view, 1 / KEY_ZOOM, 0.5)),
      '0': () => show(WHOLE),
    };
    const act = lookup(keys, event.key);
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <div className={styles['root']}>
      <TimelineHead onZoom={(factor) => show(factor === 0 ? WHOLE : zoom(model.view, factor, 0.5))}>
        <StepsStrip />
        <EventsTable />
      </TimelineHead>
      <div ref={view} className={styles['view']} style={{ height }}>
        <canvas
          ref={canvas}
          role="img"
          aria-label="Lanes of the devices over time; the table below lists their events"
          style={{ width, height }}
        />
        <Hand hand={hand} locked={locked} onKeyDown={onKeyDown} hands={hands} />
      </div>
      {pointed !== undefined && <Pointed id={pointed} find={() => model.scene?.items ?? []} canvas={canvas.current} />}
    </div>
  );
}

interface HandProps {
  readonly hand: React.RefObject<HTMLDivElement | null>;
  readonly locked: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly hands: ReturnType<typeof useTimelinePointer>;
}

/** What takes pointer and keyboard: a slider over the events of the step. */
function Hand({ hand, locked, onKeyDown, hands }: HandProps) {
  const cursor = useSettled((app) => app.cursor, 80);
  const traces = useSettled((app) => app.traces, 80);
  const clock = useApp((app) => app.clock);
  const trace = cursor && traces[cursor.trace];
  return (
    <div
      ref={hand}
      className={styles['hand']}
      role="slider"
      tabIndex={0}
      aria-label="Time cursor"
      aria-disabled={locked || undefined}
      aria-valuemin={0}
      aria-valuemax={trace?.events.length ?? 0}
      aria-valuenow={(cursor?.event ?? -1) + 1}
      aria-valuetext={trace ? cursorText(trace, clock, cursor.event) : 'nothing has run yet'}
      onKeyDown={onKeyDown}
      {...hands}
    />
  );
}

function Pointed({
  id,
  find,
  canvas,
}: {
  id: string;
  find: () => readonly TimelineItem[];
  canvas: HTMLCanvasElement | null;
}) {
  useSettled((app) => app.cursor, 120);
  const item = find().find((i) => i.id === id);
  const at = canvas?.getBoundingClientRect();
  return item && at ? (
    <Tooltip tip={item.tip()} anchor={{ ...item.rect, x: item.rect.x + at.left, y: item.rect.y + at.top }} />
  ) : null;
}
