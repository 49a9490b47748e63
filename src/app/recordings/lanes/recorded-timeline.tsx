/**
 * The timeline of a recording: per rank its computation above its communication, on one clock. This file joins the
 * parts to the page; use-recorded-picture.ts has the canvas. Zooming, panning and searching work as in a run's
 * timeline.
 */
import { useMemo, useState } from 'react';
import { grow } from '../../draw/geometry';
import { Tooltip } from '../../draw/tooltip';
import { LanesCanvas, LanesSlider } from '../../lanes/lanes-canvas';
import type { LaneDirection } from '../../lanes/move-along';
import { SearchField } from '../../lanes/search-field';
import type { SelectedMatch } from '../../lanes/search-words';
import { type Lanes, useLanes } from '../../lanes/use-lanes';
import { SavePicture } from '../../picture/save-picture';
import { FoldButtons } from './fold-buttons';
import { FoundPanel } from './found-panel';
import { spoken, stretchOfFound } from './found-words';
import { RecordedHead } from './recorded-head';
import { type RecordedModel, stretchOf } from './recorded-model';
import type { FoundAt, RecordedItem, SpanAt } from './recorded-scene-types';
import { searchRecording } from './recorded-search';
import { moveFound, rankIndexOf, sameFound } from './recorded-selection';
import styles from './recorded-timeline.module.css';
import { tipOf } from './recorded-words';
import { useRecordedPicture } from './use-recorded-picture';

const KEYS =
  'Arrows: from span to span. w and s zoom, a and d move, f fits what is selected, 0 shows everything, / searches.';

export function RecordedTimeline({ model }: { readonly model: RecordedModel }) {
  const { recording, analysis } = model;
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set());
  const [pointed, setPointed] = useState<RecordedItem>();
  const [selected, setSelected] = useState<FoundAt>();
  const [query, setQuery] = useState('');
  const matches = useMemo(() => searchRecording(recording, query), [recording, query]);
  const { picture, layout, figure } = useRecordedPicture(model, { open, pointed, selected, matches });
  const { canvas, view } = picture;

  const select = (found: FoundAt | undefined) => {
    setSelected(found);
    setPointed(undefined);
  };
  const move = (direction: LaneDirection) => () => {
    const next = moveFound(model.ranks, selected, selected && stretchOfFound(recording, selected), direction);
    if (next) lanes.reveal(next);
  };
  const lanes: Lanes<FoundAt> = useLanes<RecordedItem, FoundAt>({
    model,
    picture,
    selection: selected,
    select,
    stretchOf: (found) => model.share(stretchOfFound(recording, found)),
    /** With many ranks the dialog scrolls. */
    scrollTo: (found) =>
      view.current?.querySelectorAll('button')[rankIndexOf(found)]?.scrollIntoView({ block: 'nearest' }),
    keys: () => ({
      ArrowRight: move('next'),
      ArrowLeft: move('previous'),
      ArrowUp: move('above'),
      ArrowDown: move('below'),
    }),
    onPick: (item) => select(item && !sameFound(item.found, selected) ? item.found : undefined),
    onPoint: (item) => setPointed((old) => (old?.id === item?.id ? old : item)),
  });
  const goTo = (at: SpanAt) => {
    const collective = model.ranks[at.rank]?.collectiveOf(at.lane, at.span) ?? -1;
    lanes.reveal({ kind: 'span', at: { ...at, collective } });
  };
  const box = canvas.current?.getBoundingClientRect();
  return (
    <section className={styles['root']} aria-label="Recorded timeline">
      <RecordedHead clock={recording.clock} onZoom={lanes.zoomBy}>
        <SearchField
          lanes={lanes}
          hint="search: all_reduce …"
          query={query}
          matches={matches}
          selected={selected && besideFound(model, selected)}
          onQuery={setQuery}
          onFound={goTo}
        />
        <SavePicture name="recording" what="the recorded timeline" figure={figure} />
      </RecordedHead>
      <div ref={view} className={styles['view']}>
        <LanesCanvas picture={picture} label="Lanes of the ranks over time; the tables below say the same in numbers">
          <LanesSlider
            lanes={lanes}
            label="Recorded spans"
            now={selected?.kind === 'span' ? selected.at.span : 0}
            last={recording.spanCount}
            text={selected ? spoken(recording, analysis, selected) : 'nothing is selected'}
            keys={KEYS}
          />
          <FoldButtons layout={layout} open={open} onOpen={setOpen} />
        </LanesCanvas>
      </div>
      {selected && <FoundPanel model={model} found={selected} onClose={() => select(undefined)} onGo={goTo} />}
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

/** Compares matches of a search with the selection. */
function besideFound({ recording }: RecordedModel, found: FoundAt): SelectedMatch<SpanAt> {
  const { startUs } = stretchOfFound(recording, found);
  return {
    is: (at) => sameFound({ kind: 'span', at }, found),
    isBefore: (at) => stretchOf(recording, at).startUs < startUs,
  };
}
