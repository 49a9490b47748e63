/**
 * Counts what one training step of a run reads and writes, dispatch by dispatch: the run trains on a counting GPU
 * (counting-gpu.ts), and its launch plan gives the operator and the shapes of each dispatch. Called by
 * scripts/costs.mjs (`--bytes`) and by tests.
 */
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { KernelTuning } from '../../graph/kernel-tuning';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Program } from '../../program/instruction';
import type { LinearStep } from '../../program/linearize';
import type { Files } from '../../protocol/session';
import type { DispatchSpec } from '../../runtime/webgpu/dispatch';
import { MemoryLayout } from '../../runtime/webgpu/memory-layout';
import { kernelKey } from '../../runtime/webgpu/pipelines';
import { planProgram } from '../../runtime/webgpu/plan-step';
import { tunedOps } from '../../runtime/webgpu/tuning/choose-tuning';
import { createBlueprint } from '../../training/blueprint';
import { createTraining } from '../../training/create-training';
import { DeviceKeeper } from '../../training/device-keeper';
import { loadParts } from '../../training/load-parts';
import { type CountedDispatch, countingGpu } from './counting-gpu';
import { leastOf, shapesOf } from './operands';

/** The dispatches of one instruction, for all devices that run it at once. */
export interface OperatorTraffic {
  /** The name in the op table; 'transfer' for movements of data. */
  readonly op: string;
  readonly shapes: string;
  readonly dispatches: readonly CountedDispatch[];
  /**
   * The least bytes: every operand read once and every result written once; the operator's private scratch does not
   * count.
   */
  readonly least: number;
}

export interface CountOptions {
  /** A usual GPU, which does not count. */
  readonly gpu: GPU;
  readonly tuning: KernelTuning;
  readonly files?: Files;
}

/** The number of steps before the counted one, which is then like all later steps. */
const STEPS_BEFORE = 2;

export async function countStep(input: object, { gpu, tuning, files = {} }: CountOptions): Promise<OperatorTraffic[]> {
  const config = { ...parseConfig({ ...input, device: 'webgpu' }), compareSingle: false };
  await loadParts(config);
  const blueprint = createBlueprint(config, files);
  const counting = countingGpu(gpu, { asHardware: true });
  const keeper = new DeviceKeeper(counting.gpu, true);
  const { opened } = await keeper.choose('webgpu');
  const { device, info, tunings } = must(opened, 'a device');
  await tunings.save(info.adapter, tuning);
  const training = await createTraining(blueprint, { keeper, gpu: counting.gpu });
  try {
    await training.run(STEPS_BEFORE);
    await counting.take();
    await training.run(1);
    const counted = await counting.take();
    const plans = blueprint.programs.map((program) => planOf(program, blueprint.programs, tuning, device.limits));
    const plan = plans.find(
      ({ dispatches }) =>
        dispatches.length === counted.length && dispatches.every((spec, i) => kernelKey(spec) === counted[i]?.label),
    );
    return trafficOf(must(plan, 'a launch plan with the dispatches that ran'), counted);
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

interface Plan {
  readonly program: Program;
  readonly dispatches: readonly DispatchSpec[];
  readonly stepOf: ReadonlyMap<DispatchSpec, LinearStep>;
}

function planOf(
  program: Program,
  programs: readonly Program[],
  tuning: KernelTuning,
  limits: ConstructorParameters<typeof MemoryLayout>[2],
): Plan {
  const devices = [...new Set(programs.flatMap(({ lanes }) => lanes.map((lane) => lane.device)))];
  const layout = new MemoryLayout(programs, devices, limits);
  const stepOf = new Map<DispatchSpec, LinearStep>();
  const { dispatches } = planProgram(program, tunedOps(PROGRAM_OPS, tuning), layout, {
    onPlanned: (step, own) => {
      if (step.kind !== 'fold') for (const spec of own) stepOf.set(spec, step);
    },
  });
  return { program, dispatches, stepOf };
}

function trafficOf({ program, dispatches, stepOf }: Plan, counted: readonly CountedDispatch[]): OperatorTraffic[] {
  const groups = new Map<LinearStep | DispatchSpec, CountedDispatch[]>();
  dispatches.forEach((spec, i) => {
    const key = stepOf.get(spec) ?? spec;
    groups.set(key, [...(groups.get(key) ?? []), at(counted, i)]);
  });
  return [...groups].map(([key, own]) => {
    // A single dispatch's touched words are known exactly; several dispatches also touch scratch.
    const touched = own.reduce((sum, { leastRead, leastWritten }) => sum + leastRead + leastWritten, 0);
    if (!('kind' in key) || key.kind !== 'compute') {
      const words = own.reduce((sum, { leastWritten }) => sum + leastWritten, 0) / 4;
      return { op: 'transfer', shapes: `${words}`, dispatches: own, least: touched };
    }
    const { op } = at(key.items, 0).instruction;
    const least = own.length === 1 ? touched : Math.min(touched, leastOf(program, key.items));
    return { op, shapes: shapesOf(program, at(key.items, 0)), dispatches: own, least };
  });
}
