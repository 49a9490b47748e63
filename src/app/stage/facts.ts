/**
 * All that the scene asks about the trace at the cursor, as an interface, so that the scene is built and tested without
 * knowing how the answers are derived. `facts-at.ts` answers from the rooms of src/trace.
 */
import type { DeviceIndex, MemoryCategory, Phase, Slice } from '../../protocol/trace';
import type { Content } from '../../trace/contents';
import type { Packet } from '../../trace/packets';
import type { ChunkArrival, Exchange, RankSet } from './exchanges';
import type { StageWork } from './pipeline-work';
import type { RoomView } from './room-views';
import type { Activity } from './scene-types';
import type { StepPicture } from './step-picture';

export interface DeviceNow {
  readonly activity: Activity;
  readonly phase: Phase | undefined;
  readonly module: string;
  /** What the device does, as texts, longest first. */
  readonly words: readonly string[];
  /** The event that the device works on. */
  readonly event: number | undefined;
}

/** A transfer that is under way at the cursor. */
export interface Transit {
  readonly packet: Packet;
  /** The completed share of the packet's way, 0..1. */
  readonly progress: number;
  /** The packet's values from the first element on, as far as the trace captured them. */
  readonly values: Float32Array | undefined;
}

export interface DeviceUse {
  readonly bytes: Readonly<Partial<Record<MemoryCategory, number>>>;
  readonly peakBytes: number;
  readonly budgetBytes: number;
}

export interface StageFacts {
  /** Index of the event at the cursor; -1 before the first. */
  readonly event: number;
  content(device: DeviceIndex, buffer: string): Content | undefined;
  /** How many elements of a slice the trace captured, counted from the slice's start. */
  known(device: DeviceIndex, slice: Slice): number;
  now(device: DeviceIndex): DeviceNow;
  memory(device: DeviceIndex): DeviceUse;
  /** The devices whose values are in a slice of a buffer; empty if none of this step's values are. */
  contributors(device: DeviceIndex, slice: Slice): RankSet;
  /** Whether the moment at the cursor sends the slice to another device. */
  sends(device: DeviceIndex, slice: Slice): boolean;
  /** The values that the moment at the cursor brings into the slice. */
  arrival(device: DeviceIndex, slice: Slice): ChunkArrival | undefined;
  /** What the device's room shows. */
  view(device: DeviceIndex): RoomView;
  /** The most recent exchange of gradients. */
  wire(device: DeviceIndex): Exchange | undefined;
  /** For a pipeline rank: the micro-batches of the step that it keeps and that it has summed up. */
  stageWork?(device: DeviceIndex): StageWork | undefined;
  /** Whether the moment at the cursor has produced the event's result. */
  fresh(event: number | undefined): boolean;
  /** Whether the event belongs to the moment at the cursor, and this moment is not over. */
  under(event: number | undefined): boolean;
  /** The transfers of the moment at the cursor. */
  readonly moving: readonly Packet[];
  /** The transfers that are under way. */
  readonly transits: readonly Transit[];
  /** The facts that do not depend on the cursor; undefined before the first trace. */
  readonly step: StepPicture | undefined;
  /** Index of the last completed event. */
  readonly done: number;
}
