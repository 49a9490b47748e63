/**
 * What the settings and the data decide before a model is drawn: the mesh and the Programs, verified and within the
 * memory of their devices. Called by blueprint.ts, and by `lockstep memory`, which needs no weights.
 */
import type { BatchSource } from '../../data/batch-source';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { ModeInput, ParallelMode } from '../../parallel/mode';
import { PARALLEL_MODES } from '../../parallel/modes';
import type { Program } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { type KindRules, kindRules } from '../step-kinds';
import { createBatches } from './batches';
import { compileReference, compileRun } from './programs';
import { type DrawnData, drawData, modeInputOf } from './start';

export interface RunPlan extends DrawnData, Pick<BatchSource, 'sizes' | 'batchesPerEpoch' | 'schedule'> {
  /** As the mode settles it. */
  readonly config: Config;
  readonly mesh: DeviceMesh;
  readonly input: ModeInput;
  readonly rules: KindRules;
  readonly referenceRules: KindRules;
  /** The usual one first, then the others that occur (step-kinds.ts), and those beside the steps. */
  readonly programs: readonly Program[];
  /** Programs of the single-device reference; empty when none is wanted. */
  readonly reference: readonly Program[];
}

/** `mode`: one that no setting names, of a test. */
export function planOf(given: Config, files: Files, mode: ParallelMode = PARALLEL_MODES[given.mode]): RunPlan {
  const mesh = mode.mesh(given);
  const data = drawData({ config: given, files });
  const { dataset, generatorAfterData } = data;
  const config = mode.settle?.(modeInputOf(given, dataset)) ?? given;
  // How large the batches are does not depend on their order, so any generator will do.
  const generators = Array.from({ length: mesh.dataIndices }, () => generatorAfterData);
  const { sizes, batchesPerEpoch, schedule } = createBatches({ config, mode, mesh }, { dataset, generators }).batches();
  mode.checkSchedule?.(config, schedule);
  const input = modeInputOf(config, dataset);
  const rules = kindRules(config, mode);
  const referenceRules = kindRules(config, PARALLEL_MODES.single);
  const programs = compileRun({ input, mode, schedule, rules }, config.resume !== undefined);
  const reference = compileReference({ input, mode, schedule, rules: referenceRules });
  return {
    ...{ ...data, config, mesh, input, rules, referenceRules, programs, reference },
    ...{ sizes, batchesPerEpoch, schedule },
  };
}
