/** What a CPU executor's ways of running a Program share: the Programs, the arrays, and what the step is given. */
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
  /** Those that live here. */
  readonly devices: readonly DeviceIndex[];
  readonly ops: OpTable;
  readonly scratch: CpuScratch;
  /** Kernels of WebAssembly on the arrays' memory. */
  readonly opened: OpenedVectors | undefined;
  arrayOf(key: ProgramKey, device: DeviceIndex): ArrayOf;
  /** The executor sets it before a step; actions, which are made once, look at it when they run. */
  readonly given: { feed: Feed; corruption: Corruption | undefined };
}

export const hostedLanes = ({ devices }: Pick<CpuContext, 'devices'>, program: Program): readonly Lane[] =>
  program.lanes.filter((lane) => devices.includes(lane.device));

/** All lanes of the Program live here: nothing goes over the transport. */
export const isShared = (context: Pick<CpuContext, 'devices'>, program: Program): boolean =>
  hostedLanes(context, program).length === program.lanes.length;
