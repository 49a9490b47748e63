/** The compiler of a mode: makes Programs, and runs nothing. */
import type { BufferSpec, Program } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import type { TrainingKind } from '../../protocol/step-kind';
import type { ModeInput } from '../mode-input';

export interface ModeCompiler {
  /**
   * Fills in what the user left open and the shapes of the data decide, such as which layers form a stage, and refuses
   * what does not fit these shapes. All other members of the facets get this configuration.
   */
  settle?(input: ModeInput): Config;
  /** The Program of these micro-batches; a process without rows has run out of batches. */
  compile(input: ModeInput, kind: TrainingKind): Program;
  /** What runs once before step 0 (DDP's constructor), if anything. */
  construct?(input: ModeInput): Program | undefined;
  /** The Program with which process 0 sends its buffers to all others, when only rank 0 read the checkpoint. */
  broadcastState?(input: ModeInput, buffers: readonly BufferSpec[]): Program | undefined;
  /** The same configuration with or without overlap of communication and computation; absent: nothing overlaps. */
  withOverlap?(config: Config, overlap: boolean): Config;
}
