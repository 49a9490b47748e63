/**
 * The timeline of a recording: per rank its computation above its communication, on one clock. This file joins the
 * parts to the page; use-recorded-picture.ts has the canvas. Zooming, panning and searching work as in a run's
 * timeline.
 */
import { useMemo, useRef, useState } from 'react';
import { grow } from '../../draw/geometry';
import { Tooltip } from '../../draw/tooltip';
import lanes from '../../lanes/lanes.module.css';
import { useLanesPointer } from '../../lanes/use-lanes-pointer';
import { type ViewWindow, zoomedBy } from '../../lanes/view-window';
import { SavePicture } from '../../picture/save-picture';
import { FoldButtons } from './fold-buttons';
import { FoundPanel } from './found-panel';
import { RecordedHand } from './recorded-hand';
import { RecordedHead } from './recorded-head';
import { recordedKeyDown, revealed } from './recorded-keys';
import type { RecordedModel } from './recorded-model';
import type { FoundAt, RecordedItem, SpanAt } from './recorded-scene-types';
import { searchRecording } from './recorded-search';
import { RecordedSearchField } from './recorded-search-field';
import { sameFound } from './recorded-selection';
import styles from './recorded-timeline.module.css';
import { tipOf } from './recorded-words';
import { useRecordedPicture } from './use-recorded-picture';

export function RecordedTimeline({ model }: { readonly model: RecordedModel }) {
  const { recording, analysis } = model;
  const hand = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set());
  const [pointed, setPointed] = useState<RecordedItem>();
  const [selected, setSelected] = useState<FoundAt>();
  const [query, setQuery] = useState('');
  const matches = useMemo(() => searchRecording(recording, query), [recording, query]);
  const picture = useRecordedPicture(model, { open, pointed, selected, matches });
  const { canvas, view, size, request } = picture;

  const show = (next: ViewWindow) => {
    model.view = next;
    request();
  };
  const select = (found: FoundAt | undefined) => {
    setSelected(found);
    setPointed(undefined);
  };
  const reveal = (at: SpanAt) => {
    const collective = model.ranks[at.rank]?.collectiveOf(at.lane, at.span) ?? -1;
    const found: FoundAt = { kind: 'span', at: { ...at, collective } };
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
  /** With many ranks the dialog scrolls. */
  const selectByKey = (found: FoundAt | undefined) => {
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
  const box = canvas.current?.getBoundingClientRect();
  return (
    <section className={styles['root']} aria-label="Recorded timeline">
      <RecordedHead clock={recording.clock} onZoom={(factor) => show(zoomedBy(model.view, factor, model.smallest))}>
        <RecordedSearchField
          field={field}
          query={query}
          matches={matches}
          selected={selected}
          onQuery={setQuery}
          onFound={reveal}
          onLeave={() => hand.current?.focus()}
        />
        <SavePicture name="recording" what="the recorded timeline" figure={picture.figure} />
      </RecordedHead>
      <div ref={view} className={styles['view']}>
        <div className={lanes['lanes']} style={{ height: size.height }}>
          <canvas
            ref={canvas}
            role="img"
            aria-label="Lanes of the ranks over time; the tables below say the same in numbers"
            style={size}
          />
          <RecordedHand hand={hand} model={model} selected={selected} onKeyDown={onKeyDown} hands={hands} />
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

const rankOf = (found: FoundAt): number => (found.kind === 'span' ? found.at.rank : found.rank);
