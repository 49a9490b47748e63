/**
 * The canvas of a recorded timeline: its size and its content. The model and recorded-scene.ts decide the layout;
 * recorded-timeline.tsx joins the canvas to the page.
 */
import { useCallback, useMemo, useRef } from 'react';
import type { Ink } from '../../draw/ink';
import { useSize } from '../../draw/use-surface';
import { type ShownInLanes, useLanesPicture } from '../../lanes/use-lanes-picture';
import type { SavedFigure } from '../../picture/figure-picture';
import { overviewOf } from './overview';
import { paintRecorded } from './paint-recorded';
import type { RecordedModel } from './recorded-model';
import type { FoundAt, RecordedItem } from './recorded-scene-types';
import type { RecordedMatches } from './recorded-search';
import { sameFound } from './recorded-selection';
import { blockLabels } from './recorded-words';

interface Marked {
  /** The indices of the unfolded ranks. */
  readonly open: ReadonlySet<number>;
  readonly pointed: RecordedItem | undefined;
  readonly selected: FoundAt | undefined;
  readonly matches: RecordedMatches | undefined;
}

export function useRecordedPicture(model: RecordedModel, { open, pointed, selected, matches }: Marked) {
  const { recording, analysis } = model;
  const view = useRef<HTMLDivElement>(null);
  const { width } = useSize(view);
  const layout = model.layout(width, open);
  const { height } = layout;
  const size = useMemo(() => ({ width, height }), [width, height]);
  const painter = useCallback(
    (shown: ShownInLanes<RecordedItem>) => {
      const scene = model.look(width, open);
      const marked = shown.pointed?.found ?? selected;
      const collective = marked?.kind === 'span' ? marked.at.collective : -1;
      const marks = {
        pointed: shown.pointed?.rect,
        selected: selected && rectOfFound(model, selected),
        linked: model.linked(collective),
        found: matches ? model.placesOf(matches.list) : [],
        lit: matches && ((rank: number, lane: number, span: number) => matches.has(rank, lane, span)),
      };
      return (ink: Ink) =>
        paintRecorded(ink, scene, marks, {
          ...shown,
          overview: overviewOf(ink, model),
          view: model.view,
          labelsOf: (at) => blockLabels(recording, at),
        });
    },
    [model, recording, width, open, selected, matches],
  );
  const picture = useLanesPicture({ model, view, size, pointed, painter });
  const caption = () => [recording.title, ...analysis.sentences.slice(0, 1)].join('. ');
  const figure: SavedFigure = {
    async picture() {
      const saved = picture.saved();
      return saved && { ...saved, caption };
    },
  };
  return { picture, layout, figure };
}

function rectOfFound(model: RecordedModel, found: FoundAt) {
  if (found.kind === 'span') return model.rectOf(found.at);
  return model.scene?.items.find((item) => sameFound(item.found, found))?.rect;
}
