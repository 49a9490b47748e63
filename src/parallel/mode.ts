/**
 * The interface of the parallel modes. A mode is a preset with a folder here, and its `mode.ts` exports one
 * ParallelMode: the name and words, the mesh, the PyTorch script, and the facets, which the axes of the mesh decide.
 * Code outside `parallel/` never compares a mode's name; it asks this object. `modes.ts` is the table.
 */

import type { Part } from '../base/part';
import type { OpFamily } from '../graph/op-table';
import type { Dialect } from '../interop/pytorch/dialect';
import type { DeviceMesh } from '../mesh/device-mesh';
import type { Config } from '../protocol/config';
import type { CodeLine } from '../protocol/trace';
import type { Face } from './face';
import type { ModeFacets } from './facets/mode-facets';

export interface ParallelMode {
  /** What the page says about the mode, and the mode's name. */
  readonly face: Face;
  /** Its processes as a grid, and the devices that each drives. */
  mesh(config: Config): DeviceMesh;
  /** Refuses settings that cannot go together in this mode. */
  check?(config: Config): void;
  /** Writes the PyTorch script of a run; loaded when somebody asks for it. */
  readonly listing: Part<(config: Config, dialect?: Dialect) => readonly CodeLine[]>;
  /** The parts of a run's facets, loaded before a blueprint is made. */
  parts?(config: Config): readonly Part<unknown>[];
  /** Families of operators, loaded on demand, that its Programs need beside the model's. */
  opFamilies?(config: Config): readonly (OpFamily | 'halves' | 'lowRank' | 'sharded')[];
  /** What the mode makes of this run. Needs the parts. */
  facets(config: Config): ModeFacets;
}

/** The name of `listing` in the message that it could not be loaded. */
export const SCRIPT = 'The PyTorch script';
