/**
 * The state of a recorded timeline between two frames: the ranks' tracks, the window in view, the unfolded ranks, the
 * last painted scene. No DOM, no React; one per opened recording.
 */
import { must } from '../../../base/invariant';
import type { Recording } from '../../../recordings/recording';
import type { RecordingAnalysis } from '../../../recordings/recording-analysis';
import type { Interval } from '../../../trace/intervals';
import type { Rect } from '../../draw/geometry';
import { type LanesModel, shareAcross } from '../../lanes/lanes';
import { stretchInLane, timeScale } from '../../lanes/time-axis';
import { type ViewWindow, WHOLE } from '../../lanes/view-window';
import { type CoarseRank, coarseRanks } from './coarse';
import { lastJoin } from './collective-scene';
import type { Linked } from './paint-recorded-marks';
import { nestedTracks, type RankTracks, rankTracks } from './rank-tracks';
import { layoutRecorded, type RecordedLayout, type Thread } from './recorded-layout';
import { recordedScene, trackOf } from './recorded-scene';
import type { RecordedInput, RecordedItem, RecordedScene, SpanAt } from './recorded-scene-types';
import { lastWords, spanOf } from './recorded-words';

export interface RecordedModel extends LanesModel<RecordedItem> {
  readonly recording: Recording;
  readonly analysis: RecordingAnalysis;
  readonly ranks: readonly RankTracks[];
  /** The ranks at the resolution of the small picture. */
  readonly coarse: readonly CoarseRank[];
  /** The last scene that look() made. */
  scene: RecordedScene | undefined;
  layout(width: number, open: ReadonlySet<number>): RecordedLayout;
  look(width: number, open: ReadonlySet<number>): RecordedScene;
  /** The rectangle of a span, even if it is out of view. */
  rectOf(at: SpanAt): Rect | undefined;
  /** The places of the spans in view; spans within one pixel are merged. */
  placesOf(list: readonly SpanAt[]): readonly Rect[];
  /** All parts of a collective. */
  linked(collective: number): Linked | undefined;
  /** The stretch as shares of the recording, 0..1. */
  share(stretch: Interval): { readonly from: number; readonly to: number };
}

export const tracksOf = ({ ranks, collectives }: Recording): readonly RankTracks[] =>
  ranks.map((rank, index) => rankTracks(rank, index, collectives));

/** The same as tracksOf(), with a pause after each rank so that the page stays responsive. */
export async function tracksInTurns({ ranks, collectives }: Recording): Promise<readonly RankTracks[]> {
  const made: RankTracks[] = [];
  for (const [index, rank] of ranks.entries()) {
    await new Promise((resolve) => setTimeout(resolve));
    made.push(rankTracks(rank, index, collectives));
  }
  return made;
}

/** The length of the shortest window. */
const SHORTEST_US = 2;

/** `ranks`: the tracks, if they have been made before. */
export function createRecordedModel(
  recording: Recording,
  analysis: RecordingAnalysis,
  ranks = tracksOf(recording),
): RecordedModel {
  const totalUs = Math.max(1, recording.durUs);
  const unfolded = new Map<number, readonly Thread[]>();
  let placed:
    | { readonly width: number; readonly open: ReadonlySet<number>; readonly layout: RecordedLayout }
    | undefined;
  let seen: { readonly layout: RecordedLayout; readonly view: ViewWindow } | undefined;

  const threadsOf = (tracks: RankTracks): readonly Thread[] => {
    const { rank, index } = tracks;
    const known = unfolded.get(index);
    if (known) return known;
    const threads = rank.lanes.flatMap((lane, at) =>
      lane.rows === 0 ? [] : [{ label: lane.label, rows: nestedTracks(tracks, lane, at) }],
    );
    unfolded.set(index, threads);
    return threads;
  };
  const layout = (width: number, open: ReadonlySet<number>): RecordedLayout => {
    if (placed?.width !== width || placed.open !== open) {
      const made = layoutRecorded(width, ranks, (rank) => (open.has(rank.index) ? threadsOf(rank) : []));
      placed = { width, open, layout: made };
    }
    return placed.layout;
  };
  const input = (at: RecordedLayout): RecordedInput => ({
    layout: at,
    view: model.view,
    totalUs,
    collectives: recording.collectives,
  });
  const rectOfSpan = (at: SpanAt): Rect | undefined => {
    const span = spanOf(recording, at);
    const { scene } = model;
    if (!scene || !span) return undefined;
    const stretch = { startUs: span.startUs, endUs: span.startUs + span.durUs };
    const lane = trackOf(scene.layout, at, stretch);
    return lane && stretchInLane(timeScale(scene.layout, totalUs, model.view), lane, stretch);
  };
  const model: RecordedModel = {
    recording,
    analysis,
    ranks,
    coarse: coarseRanks(ranks, totalUs),
    layout,
    look(width, open) {
      const at = layout(width, open);
      const { view } = model;
      let { scene } = model;
      if (!scene || seen?.layout !== at || seen.view !== view) {
        scene = recordedScene(input(at));
        model.scene = scene;
        seen = { layout: at, view };
      }
      return scene;
    },
    scene: undefined,
    view: WHOLE,
    smallest: Math.min(1, SHORTEST_US / totalUs),
    band: undefined,
    across: (x) => shareAcross(model.scene, x),
    rectOf: rectOfSpan,
    placesOf: (list) =>
      placesOf(recording, list, model.view, { totalUs, width: placed?.width ?? 1, rectOf: rectOfSpan }),
    linked: (id) => linkedIn(recording, analysis, id, rectOfSpan),
    share: ({ startUs, endUs }) => ({ from: startUs / totalUs, to: endUs / totalUs }),
  };
  return model;
}

type RectOf = RecordedModel['rectOf'];

interface Scale {
  readonly totalUs: number;
  readonly width: number;
  readonly rectOf: RectOf;
}

function placesOf(
  { ranks }: Recording,
  list: readonly SpanAt[],
  view: ViewWindow,
  { totalUs, width, rectOf: rectOfSpan }: Scale,
): readonly Rect[] {
  const places = new Map<string, Rect>();
  const [fromUs, toUs] = [view.from * totalUs, view.to * totalUs];
  const pixelUs = (toUs - fromUs) / Math.max(1, width);
  for (const at of list) {
    const spans = ranks[at.rank]?.lanes[at.lane]?.spans;
    const startUs = spans?.startUs[at.span] ?? 0;
    if (startUs > toUs || startUs + (spans?.durUs[at.span] ?? 0) < fromUs) continue;
    const key = `${at.rank} ${at.lane} ${Math.round(startUs / pixelUs)}`;
    if (places.has(key)) continue;
    const rect = rectOfSpan(at);
    if (rect) places.set(key, rect);
  }
  return [...places.values()];
}

function linkedIn(
  { ranks, collectives }: Recording,
  analysis: RecordingAnalysis,
  id: number,
  rectOfSpan: RectOf,
): Linked | undefined {
  const collective = collectives[id];
  if (!collective) return undefined;
  const last = lastJoin(collective);
  const figures = analysis.collectives[id]?.last;
  const found = collective.parts.flatMap((part) => {
    const rank = ranks.findIndex((one) => one.rank === part.rank);
    const rect = rectOfSpan({ rank, lane: part.lane, span: part.span, collective: id });
    return rect ? [{ rank: part.rank, rect }] : [];
  });
  const late = found.find(({ rank }) => rank === last?.rank)?.rect;
  const text = figures && `last: ${lastWords(figures)}`;
  return {
    parts: found.map(({ rect }) => rect),
    last: late && text !== undefined ? { rect: late, text } : undefined,
  };
}

/** The time of a span. */
export function stretchOf(recording: Recording, at: SpanAt): Interval {
  const { startUs, durUs } = must(spanOf(recording, at), 'a span of this recording');
  return { startUs, endUs: startUs + durUs };
}
