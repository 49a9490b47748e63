/**
 * The tensors that an operator's picture reads, and what the picture comes to, as data of the scene. Types only;
 * sketch.ts makes it, room-scene reads it.
 */
import type { MemoryCategory } from '../../../protocol/trace';
import type { PartCut } from '../../../trace/parts';
import type { MadeMap } from '../matrix-scene';
import type { SceneItem, ShapeScene, SignScene, WordsScene } from '../scene-types';

/** A tensor that the instruction reads or writes, on the room's device. */
export interface DrawnOperand {
  readonly buffer: string;
  /** What readers see: PyTorch's name, or words. */
  readonly name: string;
  readonly shape: readonly number[];
  readonly category: MemoryCategory;
  /** It is a part of a whole tensor that a tensor group shares. */
  readonly cut?: PartCut;
  /** From its first element on as far as it was captured; undefined: not computed yet in this step. */
  readonly values: Float32Array | undefined;
  /** Index of the event that made it. */
  readonly event: number | undefined;
  /** End of the colour scale of its kind of value. */
  readonly end: number;
  /** It is what the instruction makes. */
  readonly made: boolean;
}

/** What a room draws in place of its matrices. */
export interface OperatorDrawing {
  readonly maps: readonly MadeMap[];
  readonly words: readonly WordsScene[];
  readonly signs: readonly SignScene[];
  /** Shapes below and above the maps. */
  readonly under: readonly ShapeScene[];
  readonly over: readonly ShapeScene[];
  /** What can be pointed at and is no map. */
  readonly items: readonly SceneItem[];
  /** The same in sentences, for the table beside the stage. */
  readonly said: readonly string[];
}
