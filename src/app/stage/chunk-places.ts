/** The places of a room's chunks: chunk-layout.ts and crowded-chunks.ts compute them, scene and painter read them. */
import type { Rect } from '../draw/geometry';

export interface ChunkSpec {
  /** The number of elements of each chunk. */
  readonly lengths: readonly number[];
  /** The number of ranks for which the bars have a place. */
  readonly ranks: number;
}

export interface ChunkLayout {
  /** The rectangle that a frame encloses; an arrow begins and ends at its edge. */
  readonly frame: Rect;
  readonly cells: Rect;
  readonly columns: number;
  readonly rows: number;
  /** The number of cells shown: fewer than the chunk has elements if not all fit. */
  readonly count: number;
  readonly prints: boolean;
  /** The bars, with a place for each rank. */
  readonly bars: Rect | undefined;
  /** The line of arriving values, above the cells. */
  readonly arrival: Rect | undefined;
  /** The chunk's name on the left and its meaning on the right, or only its number. */
  readonly caption: Rect | undefined;
  readonly worded: boolean;
  /** The chunk is only a frame around a matrix that the room already shows. */
  readonly framesOnly?: boolean;
}

export interface ChunksLayout {
  /**
   * 'tiles': side by side, with arrows at their upper and lower edges. 'levels': one bar per chunk (crowded-chunks.ts).
   */
  readonly kind: 'rows' | 'tiles' | 'levels';
  readonly chunks: readonly ChunkLayout[];
}
