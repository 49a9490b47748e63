/** What a recorded timeline is seen as: rectangles, and what lies where. Types; recorded-scene.ts makes it. */
import type { RecordedCollective } from '../../../recordings/recording';
import type { Interval } from '../../../trace/idle';
import type { Rect } from '../../draw/geometry';
import type { HitItem } from '../../draw/hit-regions';
import type { LanesScene } from '../../lanes/lanes';
import type { ViewWindow } from '../../lanes/view-window';
import type { IdleGap } from './rank-tracks';
import type { PlacedTrack, RankRow, RecordedLayout } from './recorded-layout';

/** A span of a recording: rank and lane by their places in it. */
export interface SpanAt {
  readonly rank: number;
  readonly lane: number;
  readonly span: number;
  /** -1: it is none. */
  readonly collective: number;
}

export type FoundAt =
  | { readonly kind: 'span'; readonly at: SpanAt }
  /** Spans too small to be told apart at this zoom. */
  | { readonly kind: 'crowd'; readonly rank: number; readonly count: number; readonly stretch: Interval }
  | { readonly kind: 'idle'; readonly rank: number; readonly gap: IdleGap };

export interface RecordedItem extends HitItem {
  readonly found: FoundAt;
}

export interface BlockScene {
  readonly rect: Rect;
  readonly tone: number;
  /** undefined: a crowd. */
  readonly at: SpanAt | undefined;
}

export interface CollectiveScene extends BlockScene {
  readonly collective: number;
  /** Until the last rank has come. */
  readonly waiting: Rect | undefined;
  readonly hidden: readonly Rect[];
  readonly exposed: readonly Rect[];
  /** Where the last rank joins, on that rank only. */
  readonly lastAt: number | undefined;
}

export interface TrackScene {
  readonly placed: PlacedTrack;
  readonly blocks: readonly BlockScene[];
  readonly collectives: readonly CollectiveScene[];
  /** What neighbours of one tone are together, where they are wide enough for words. */
  readonly runs: readonly { readonly rect: Rect; readonly tone: number }[];
}

export interface RankScene {
  readonly row: RankRow;
  readonly tracks: readonly TrackScene[];
  readonly gaps: readonly { readonly rect: Rect; readonly gap: IdleGap }[];
  /** The ground of every other step, and where each begins. */
  readonly bands: readonly Rect[];
  readonly rules: readonly number[];
}

export interface RecordedScene extends LanesScene<RecordedItem> {
  readonly layout: RecordedLayout;
  readonly rows: readonly RankScene[];
  /** Over the first rank. */
  readonly steps: readonly { readonly x: number; readonly width: number; readonly step: number }[];
}

export interface RecordedInput {
  readonly layout: RecordedLayout;
  readonly view: ViewWindow;
  readonly totalUs: number;
  readonly collectives: readonly RecordedCollective[];
}
