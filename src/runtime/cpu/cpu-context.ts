/**
 * The state that both ways of running a Program on a CPU executor share: the Programs, the arrays, and the input of the
 * step.
 */
import type { CpuScratch } from '../../graph/cpu-scratch';
import type { OpTable } from '../../graph/op';
import type { OpenedVectors } from '../../graph/vectors/vector-op';
import type { Lane, Program } from '../../program/instruction';
import type { ProgramKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { HostArray } from '../../tensor/shape';
import type { Corruption, Feed } from '../executor';

export type ArrayOf = (buffer: string) => HostArray;

export interface CpuContext {
  readonly programs: readonly Program[];
  /** Devices that this executor hosts. */
  readonly devices: readonly DeviceIndex[];
  readonly ops: OpTable;
  readonly scratch: CpuScratch;
  /** WebAssembly kernels over the arrays' memory. */
  readonly opened: OpenedVectors | undefined;
  arrayOf(key: ProgramKey, device: DeviceIndex): ArrayOf;
  /**
   * The input of the step. The executor sets it before a step, and actions, which are made once, read it when they run.
   */
  readonly given: { feed: Feed; corruption: Corruption | undefined };
}

export const hostedLanes = ({ devices }: Pick<CpuContext, 'devices'>, program: Program): readonly Lane[] =>
  program.lanes.filter((lane) => devices.includes(lane.device));

/** Whether this executor hosts all lanes of the Program, so that nothing goes over the transport. */
export const isShared = (context: Pick<CpuContext, 'devices'>, program: Program): boolean =>
  hostedLanes(context, program).length === program.lanes.length;
