/**
 * The decisions from settings and data before a model is drawn: the mesh and the Programs, verified and checked against
 * the devices' memory. Called by blueprint.ts, and by `lockstep memory`, which needs no weights.
 */
import type { BatchSource } from '../../data/batch-source';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { ModeFacets } from '../../parallel/facets/mode-facets';
import type { ParallelMode } from '../../parallel/mode';
import type { ModeInput } from '../../parallel/mode-input';
import { PARALLEL_MODES } from '../../parallel/modes';
import type { Program } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { type KindRules, kindRules, type RunEnd } from '../step-kinds';
import { createBatches } from './batches';
import { compileReference, compileRun } from './programs';
import { type DrawnData, drawData, modeInputOf } from './start';

export interface RunPlan extends DrawnData, Pick<BatchSource, 'sizes' | 'batchesPerEpoch' | 'schedule'> {
  /** The configuration as the mode's compiler settles it. */
  readonly config: Config;
  readonly mesh: DeviceMesh;
  /** What the mode makes of this run. */
  readonly facets: ModeFacets;
  readonly input: ModeInput;
  readonly rules: KindRules;
  readonly referenceRules: KindRules;
  /**
   * The Program of the usual step first, then those of the other step kinds (step-kinds.ts), then those that run
   * outside steps.
   */
  readonly programs: readonly Program[];
  /** Programs of the single-device reference; empty without a reference. */
  readonly reference: readonly Program[];
}

export interface RunPlanOptions {
  /** Absent: the run never ends. */
  readonly end?: RunEnd;
  /** For tests, a mode that no setting names. */
  readonly mode?: ParallelMode;
}

export function planOf(
  given: Config,
  files: Files,
  { end = 'never', mode = PARALLEL_MODES[given.mode] }: RunPlanOptions = {},
): RunPlan {
  const mesh = mode.mesh(given);
  const facets = mode.facets(given);
  const data = drawData({ config: given, files });
  const { dataset, generatorAfterData } = data;
  const config = facets.compiler.settle?.(modeInputOf(given, dataset)) ?? given;
  // The sizes of batches do not depend on their order, so any generator works.
  const generators = Array.from({ length: mesh.dataIndices }, () => generatorAfterData);
  const { sizes, batchesPerEpoch, schedule } = createBatches(
    { config, facets, mesh },
    { dataset, generators },
  ).batches();
  facets.checks.schedule?.(config, schedule);
  const input = modeInputOf(config, dataset);
  const rules = kindRules(config, facets, end);
  const referenceRules = kindRules(config, PARALLEL_MODES.single.facets(config), end);
  const programs = compileRun({ input, facets, schedule, rules }, config.resume !== undefined);
  const hasReference = config.compareSingle && mode !== PARALLEL_MODES.single;
  const reference = hasReference ? compileReference({ input, schedule, rules: referenceRules }) : [];
  return {
    ...{ ...data, config, mesh, facets, input, rules, referenceRules, programs, reference },
    ...{ sizes, batchesPerEpoch, schedule },
  };
}
