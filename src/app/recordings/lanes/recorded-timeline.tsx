/**
 * The timeline of a recording: per rank its computation over its communication, on one clock. This file joins the parts
 * to the page; use-recorded-picture.ts has its canvas. What zooms, pans and searches is what the timeline of a run has.
 */
import { useMemo, useRef, useState } from 'react';
import { grow } from '../../draw/geometry';
import { Tooltip } from '../../draw/tooltip';
import { Key } from '../../lanes/key';
import lanes from '../../lanes/lanes.module.css';
import { SearchField } from '../../lanes/search-field';
import { useLanesPointer } from '../../lanes/use-lanes-pointer';
import { type ViewWindow, zoomedBy } from '../../lanes/view-window';
import { ZoomButtons } from '../../lanes/zoom-buttons';
import { SavePicture } from '../../picture/save-picture';
import { FoldButtons } from './fold-buttons';
import { FoundPanel } from './found-panel';
import { spoken } from './found-words';
import { recordedKeyDown, revealed } from './recorded-keys';
import type { RecordedModel } from './recorded-model';
import { type RecordedMatches, searchRecording } from './recorded-search';
import { foundId, sameFound } from './recorded-selection';
import styles from './recorded-timeline.module.css';
import { tipOf } from './recorded-words';
import type { Found, RecordedItem, SpanAt } from './scene-types';
import { useRecordedPicture } from './use-recorded-picture';

export const KEYS =
  'Arrows: from span to span. w and s zoom, a and d move, f fits what is selected, 0 shows everything, / searches.';

export function RecordedTimeline({ model }: { readonly model: RecordedModel }) {
  const { recording, analysis } = model;
  const hand = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set());
  const [pointed, setPointed] = useState<RecordedItem>();
  const [selected, setSelected] = useState<Found>();
  const [query, setQuery] = useState('');
  const matches = useMemo(() => searchRecording(recording, query), [recording, query]);
  const picture = useRecordedPicture(model, { open, pointed, selected, matches });
  const { canvas, view, size, request } = picture;

  const show = (next: ViewWindow) => {
    model.view = next;
    request();
  };
  const select = (found: Found | undefined) => {
    setSelected(found);
    setPointed(undefined);
  };
  const reveal = (at: SpanAt) => {
    const collective = model.ranks[at.rank]?.collectiveOf(at.lane, at.span) ?? -1;
    const found: Found = { kind: 'span', at: { ...at, collective } };
    select(found);
    show(revealed(model, found));
  };
  const hands = useLanesPointer<RecordedItem>(hand, {
    model,
    top: () => 0,
    onView: show,
    onPick: (item) => select(item && !sameFound(item.found, selected) ? item.found : undefined),
    onPoint: (item) => setPointed((old) => (old?.id === item?.id ? old : item)),
  });
  /** The dialog scrolls where ranks are many. */
  const selectByKey = (found: Found | undefined) => {
    select(found);
    const rank = found && rankOf(found);
    if (rank !== undefined) view.current?.querySelectorAll('button')[rank]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = recordedKeyDown({
    model,
    selected: () => selected,
    show,
    select: selectByKey,
    search: () => field.current?.focus(),
  });
  const place = placeIn(matches, selected);
  const step = (by: 1 | -1) => {
    const next = matches?.list[placeBeside(matches.list.length, place, by)];
    if (next) reveal(next);
  };
  const box = canvas.current?.getBoundingClientRect();
  return (
    <section className={styles['root']} aria-label="Recorded timeline">
      <div className={styles['head']}>
        <Key
          entries={LOOKS}
          className={styles['key']}
          first={<span className={styles['clock']}>{recording.clock} time</span>}
          last={
            <span>
              <b aria-hidden="true">▾</b>
              last to join
            </span>
          }
        />
        <ZoomButtons
          whole="Show the whole recording"
          onZoom={(factor) => show(zoomedBy(model.view, factor, model.smallest))}
        />
        <SearchField
          field={field}
          hint="search: all_reduce, linear, rank 2 …"
          query={query}
          found={matches && { count: matches.count, place }}
          onQuery={setQuery}
          onStep={step}
          onLeave={() => hand.current?.focus()}
        />
        <SavePicture name="recording" what="the recorded timeline" figure={picture.figure} />
      </div>
      <div ref={view} className={styles['view']}>
        <div className={lanes['lanes']} style={{ height: size.height }}>
          <canvas
            ref={canvas}
            role="img"
            aria-label="Lanes of the ranks over time; the tables below say the same in numbers"
            style={size}
          />
          <div
            ref={hand}
            className={lanes['hand']}
            role="slider"
            tabIndex={0}
            aria-label="Recorded spans"
            aria-valuemin={0}
            aria-valuemax={recording.spanCount}
            aria-valuenow={selected?.kind === 'span' ? selected.at.span : 0}
            aria-valuetext={selected ? spoken(recording, analysis, selected) : 'nothing is selected'}
            aria-description={KEYS}
            onKeyDown={onKeyDown}
            {...hands}
          />
          <FoldButtons layout={picture.layout} open={open} onOpen={setOpen} />
        </div>
      </div>
      {selected && <FoundPanel model={model} found={selected} onClose={() => select(undefined)} onGo={reveal} />}
      {pointed && box && (
        <Tooltip
          of={canvas.current}
          tip={tipOf(recording, analysis, pointed.found)}
          anchor={{ ...grow(pointed.rect, 2), x: pointed.rect.x + box.left, y: pointed.rect.y + box.top }}
        />
      )}
    </section>
  );
}

const rankOf = (found: Found): number => (found.kind === 'span' ? found.at.rank : found.rank);

/** Which of the matches is selected. */
function placeIn(matches: RecordedMatches | undefined, selected: Found | undefined): number | undefined {
  if (!matches || selected?.kind !== 'span') return undefined;
  const place = matches.list.findIndex((at) => foundId({ kind: 'span', at }) === foundId(selected));
  return place < 0 ? undefined : place;
}

/** The match after or before that place; without one, the first or the last. */
function placeBeside(count: number, place: number | undefined, by: 1 | -1): number {
  if (place === undefined) return by > 0 ? 0 : count - 1;
  return (place + by + count) % count;
}

const LOOKS = [
  ['waits', 'waits for the last rank'],
  ['exposed', 'transfer'],
  ['hidden', 'hidden behind computation'],
  ['idle', 'idle'],
] as const;
