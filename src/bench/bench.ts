/**
 * The benchmark's session, without a page, which steps as fast as play mode; and the initial weights and batches with
 * which other libraries train the same model. Called only by bench/.
 */
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { PROGRAM_OPS } from '../parallel/modes';
import { planMemory } from '../program/memory-planner';
import { verify } from '../program/verifier';
import type { Config } from '../protocol/config';
import type { Files } from '../protocol/session';
import type { DeviceMemory } from '../protocol/trace';
import { browserGpu } from '../runtime/webgpu/browser-gpu';
import { machineOf } from '../simulator/machine';
import { modelledStep, simulate } from '../simulator/simulate';
import type { HostArray, Shape } from '../tensor/shape';
import { type Blueprint, createBlueprint } from '../training/blueprint';
import { planOf } from '../training/blueprint/plan';
import { createTraining } from '../training/create-training';
import { DeviceKeeper } from '../training/device-keeper';
import { memoryOf } from '../training/device-memory';

export interface BenchSession {
  readonly kind: 'webgpu' | 'cpu';
  readonly adapter: string;
  /** The memory plan, one entry per device. */
  readonly memory: readonly DeviceMemory[];
  /** Runs n steps with several in flight; resolves to the last loss. */
  step(n: number): Promise<number>;
  dispose(): Promise<void>;
}

const blueprintOf = (config: unknown, files: Files): Blueprint =>
  createBlueprint({ ...parseConfig(config), compareSingle: false }, files);

export async function benchSession(config: unknown, files: Files = {}, gpu = browserGpu()): Promise<BenchSession> {
  const blueprint = blueprintOf(config, files);
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu });
  return {
    kind: training.device.kind,
    adapter: training.device.adapter,
    memory: memoryOf(blueprint),
    async step(n) {
      const records = await training.run(n);
      return records.at(-1)?.loss ?? Number.NaN;
    },
    async dispose() {
      await training.dispose();
      keeper.forget();
    },
  };
}

/** The time of a full step on a machine of the simulator. Runs nothing. */
export function benchModel(
  config: unknown,
  files: Files,
  machine: Config['hardware'],
): { readonly label: string; readonly stepUs: number } {
  const blueprint = blueprintOf(config, files);
  const hardware = machineOf(blueprint.config, machine);
  return { label: hardware.label, stepUs: modelledStep(at(blueprint.programs, 0), hardware).stepUs };
}

export interface BenchTensor {
  readonly name: string;
  readonly shape: Shape;
  readonly data: Float32Array;
}

/** Rows of one step, flattened. Token ids and classes are int32. */
export interface BenchBatch {
  readonly inputs: HostArray;
  readonly targets: HostArray;
}

export interface BenchMaterial {
  /** The parameters in state_dict order, in PyTorch's layout. */
  readonly parameters: readonly BenchTensor[];
  /** The batches of one epoch, in the order of a Single run. */
  readonly batches: readonly BenchBatch[];
  /** The shape of one row. */
  readonly inputShape: Shape;
  readonly targetShape: Shape;
}

export function benchMaterial(config: unknown, files: Files = {}): BenchMaterial {
  const { parameters, dataset, table, batchesPerEpoch, batches } = blueprintOf(config, files);
  const source = batches();
  const taken = Array.from({ length: batchesPerEpoch }, () => at(source.next().rows, 0));
  return {
    parameters: parameters.map(({ name, shape, data }) => ({ name, shape, data })),
    batches: taken.map((rows) => ({
      inputs: gather(table.inputs, table.inputWidth, rows),
      targets: gather(table.targets, table.targetWidth, rows),
    })),
    inputShape: dataset.inputShape,
    targetShape: dataset.targetShape,
  };
}

function gather(values: HostArray, width: number, rows: Int32Array): HostArray {
  const length = rows.length * width;
  const result = values instanceof Int32Array ? new Int32Array(length) : new Float32Array(length);
  rows.forEach((row, i) => {
    result.set(values.subarray(row * width, (row + 1) * width), i * width);
  });
  return result;
}

/** The milliseconds to prepare a run's usual Program, without a device. */
export interface PlanningTimes {
  readonly instructions: number;
  readonly compileMs: number;
  readonly verifyMs: number;
  readonly planMs: number;
  readonly simulateMs: number;
}

/** Times each part separately, once; parts that the blueprint of the same run has already prepared do not count. */
export function benchPlanning(config: unknown, files: Files = {}): PlanningTimes {
  const given = { ...parseConfig(config), compareSingle: false };
  const { config: settled, facets, input, programs } = planOf(given, files);
  const { kind } = at(programs, 0);
  if (kind.type !== 'training') throw new Error('the usual Program trains');
  const timed = <T>(run: () => T): readonly [result: T, ms: number] => {
    const startMs = performance.now();
    return [run(), performance.now() - startMs];
  };
  const [program, compileMs] = timed(() => facets.compiler.compile(input, kind));
  const [, verifyMs] = timed(() => verify(program, PROGRAM_OPS));
  const [, planMs] = timed(() => planMemory([program]));
  const [, simulateMs] = timed(() => simulate(program, machineOf(settled)));
  const instructions = program.lanes.reduce((sum, lane) => sum + lane.instructions.length, 0);
  return { instructions, compileMs, verifyMs, planMs, simulateMs };
}
