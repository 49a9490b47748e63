/**
 * The scene of a recorded timeline: rectangles, and the items in them. Types only; recorded-scene.ts makes the scene.
 */
import type { RecordedCollective } from '../../../recordings/recording';
import type { Interval } from '../../../trace/intervals';
import type { Rect } from '../../draw/geometry';
import type { HitItem } from '../../draw/hit-regions';
import type { LanesScene } from '../../lanes/lanes';
import type { ViewWindow } from '../../lanes/view-window';
import type { IdleGap } from './rank-tracks';
import type { PlacedTrack, RankRow, RecordedLayout } from './recorded-layout';

/** A span of a recording, by the indices of its rank and lane. */
export interface SpanAt {
  readonly rank: number;
  readonly lane: number;
  readonly span: number;
  /** Index of the collective; -1: not a collective. */
  readonly collective: number;
}

export type FoundAt =
  | { readonly kind: 'span'; readonly at: SpanAt }
  /** Spans too small to be distinguished at this zoom. */
  | { readonly kind: 'crowd'; readonly rank: number; readonly count: number; readonly stretch: Interval }
  | { readonly kind: 'idle'; readonly rank: number; readonly gap: IdleGap };

export interface RecordedItem extends HitItem {
  readonly found: FoundAt;
}

export interface BlockScene {
  readonly rect: Rect;
  readonly tone: number;
  /** The block's span; undefined for a crowd. */
  readonly at: SpanAt | undefined;
}

export interface CollectiveScene extends BlockScene {
  readonly collective: number;
  /** The part of waiting, until the last rank joins. */
  readonly waiting: Rect | undefined;
  readonly hidden: readonly Rect[];
  readonly exposed: readonly Rect[];
  /** The x position at which the last rank joins; only on that rank. */
  readonly lastAt: number | undefined;
}

export interface TrackScene {
  readonly placed: PlacedTrack;
  readonly blocks: readonly BlockScene[];
  readonly collectives: readonly CollectiveScene[];
  /** Runs of neighbouring blocks of one tone that are together wide enough for words. */
  readonly runs: readonly { readonly rect: Rect; readonly tone: number }[];
}

export interface RankScene {
  readonly row: RankRow;
  readonly tracks: readonly TrackScene[];
  readonly gaps: readonly { readonly rect: Rect; readonly gap: IdleGap }[];
  /** The background of every second step, and the positions at which steps begin. */
  readonly bands: readonly Rect[];
  readonly rules: readonly number[];
}

export interface RecordedScene extends LanesScene<RecordedItem> {
  readonly layout: RecordedLayout;
  readonly rows: readonly RankScene[];
  /** The steps' numbers, above the first rank. */
  readonly steps: readonly { readonly x: number; readonly width: number; readonly step: number }[];
}

export interface RecordedInput {
  readonly layout: RecordedLayout;
  readonly view: ViewWindow;
  readonly totalUs: number;
  readonly collectives: readonly RecordedCollective[];
}
