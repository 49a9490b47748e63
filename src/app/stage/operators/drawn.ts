/**
 * The tensors that an operator's picture reads, and the finished picture as data of the scene. Types only; sketch.ts
 * makes the picture, room-scene reads it.
 */
import type { MemoryCategory } from '../../../protocol/trace';
import type { PartCut } from '../../../trace/tensor-parts';
import type { MadeMap } from '../matrix-scene';
import type { SceneItem, ShapeScene, SignScene, WordsScene } from '../scene-types';

/** A tensor that the instruction reads or writes, on the room's device. */
export interface DrawnOperand {
  readonly buffer: string;
  /** The displayed name: PyTorch's name, or words. */
  readonly name: string;
  readonly shape: readonly number[];
  readonly category: MemoryCategory;
  /** Set if the tensor is one rank's part of a tensor that a tensor group shares. */
  readonly cut?: PartCut;
  /** The captured values, from the first element on; undefined if this step has not computed them yet. */
  readonly values: Float32Array | undefined;
  /** Index of the event that computed the values. */
  readonly event: number | undefined;
  /** End of the colour scale of its kind of value. */
  readonly end: number;
  /** Whether the instruction computes this tensor. */
  readonly made: boolean;
}

/** The picture that a room draws in place of its matrices. */
export interface OperatorDrawing {
  readonly maps: readonly MadeMap[];
  readonly words: readonly WordsScene[];
  readonly signs: readonly SignScene[];
  /** Shapes below and above the maps. */
  readonly under: readonly ShapeScene[];
  readonly over: readonly ShapeScene[];
  /** Items with tooltips that are not maps. */
  readonly items: readonly SceneItem[];
  /** The picture in sentences, for the table beside the stage. */
  readonly said: readonly string[];
}
