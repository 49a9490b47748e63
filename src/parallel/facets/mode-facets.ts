/**
 * What a mode makes of a run: seven facets, each an interface in a file of this folder. axes/spmd.ts chooses the facets
 * of a mesh by its axes; a mode whose ranks do not all run the same step fills them itself. Called by training, once
 * for each run, after the parts of the mode have been loaded.
 */
import type { ModeBatches } from './mode-batches';
import type { ModeChecks } from './mode-checks';
import type { ModeCompiler } from './mode-compiler';
import type { ModeFacts } from './mode-facts';
import type { ModePlacement } from './mode-placement';
import type { ModeProcesses } from './mode-processes';
import type { ModeSteps } from './mode-steps';

export interface ModeFacets {
  readonly place: ModePlacement;
  readonly batches: ModeBatches;
  readonly steps: ModeSteps;
  readonly processes: ModeProcesses;
  readonly compiler: ModeCompiler;
  readonly facts: ModeFacts;
  readonly checks: ModeChecks;
}

/** One process with one loader, whose settings need no checks. A mode without a mesh spreads this, adds the rest. */
export const ONE_PROCESS = { batches: {}, steps: {}, processes: {}, checks: {} } as const satisfies Partial<ModeFacets>;
