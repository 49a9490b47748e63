/**
 * The canvas of a recorded timeline: its size, its painting, and when it is painted again. The model and
 * recorded-scene.ts decide the layout; recorded-timeline.tsx joins the canvas to the page.
 */
import { useCallback, useMemo, useRef } from 'react';
import type { Ink } from '../../draw/ink';
import { useSize, useSurface } from '../../draw/use-surface';
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
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const { width } = useSize(view);
  const layout = model.layout(width, open);
  const { height } = layout;
  const size = useMemo(() => ({ width, height }), [width, height]);
  const paint = useCallback(
    (ink: Ink, shown: { readonly pointed: RecordedItem | undefined; readonly band: RecordedModel['band'] }) => {
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
      paintRecorded(ink, scene, marks, {
        overview: overviewOf(ink, model),
        view: model.view,
        top: 0,
        band: shown.band,
        labelsOf: (at) => blockLabels(recording, at),
      });
    },
    [model, recording, width, open, selected, matches],
  );
  const draw = useCallback((ink: Ink) => paint(ink, { pointed, band: model.band }), [paint, pointed, model]);
  const { request } = useSurface(canvas, size, draw);
  const figure: SavedFigure = {
    picture: async () => ({
      ...size,
      paint: (ink) => paint(ink, { pointed: undefined, band: undefined }),
      caption: () => [recording.title, ...analysis.sentences.slice(0, 1)].join('. '),
    }),
  };
  return { canvas, view, layout, size, figure, request };
}

function rectOfFound(model: RecordedModel, found: FoundAt) {
  if (found.kind === 'span') return model.rectOf(found.at);
  return model.scene?.items.find((item) => sameFound(item.found, found))?.rect;
}
