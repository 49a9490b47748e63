/** Where the chunks of a room are: chunk-layout.ts and crowded-chunks.ts lay them out, scene and painter read them. */
import type { Rect } from '../draw/geometry';

export interface ChunkSpec {
  /** Elements of each chunk, and how many of them are known. */
  readonly lengths: readonly number[];
  /** Places for ranks in the bars. */
  readonly ranks: number;
}

export interface ChunkLayout {
  /** What a frame encloses; an arrow begins and ends at its edge. */
  readonly frame: Rect;
  readonly cells: Rect;
  readonly columns: number;
  readonly rows: number;
  /** Cells shown: fewer than the chunk has where not all fit. */
  readonly count: number;
  readonly prints: boolean;
  /** A place for each rank. */
  readonly bars: Rect | undefined;
  /** Of values that arrive, above the cells. */
  readonly arrival: Rect | undefined;
  /** The chunk's name on the left and its meaning on the right, or its number alone. */
  readonly caption: Rect | undefined;
  readonly worded: boolean;
  /** Its values are there already: it frames a matrix of the room. */
  readonly framesOnly?: boolean;
}

export interface ChunksLayout {
  /** 'tiles': side by side, so that arrows leave them below and above. 'levels': one bar each (crowded-chunks.ts). */
  readonly kind: 'rows' | 'tiles' | 'levels';
  readonly chunks: readonly ChunkLayout[];
}
