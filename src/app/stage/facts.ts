/**
 * What the scene wants to know about the trace at the cursor, in one place: an interface, so that the scene is built
 * and tested without knowing how the answers are derived. `facts-at.ts` answers from the rooms of src/trace.
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
  /** What it does, longest first. */
  readonly words: readonly string[];
  /** The event it is busy with. */
  readonly event: number | undefined;
}

/** A transfer that is under way at the cursor. */
export interface Transit {
  readonly packet: Packet;
  /** How much of its way it has made, 0..1. */
  readonly progress: number;
  /** What it carries, from its first element as far as it was captured. */
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
  /** How many elements of a stretch were captured, from its first on. */
  known(device: DeviceIndex, slice: Slice): number;
  now(device: DeviceIndex): DeviceNow;
  memory(device: DeviceIndex): DeviceUse;
  /** The devices whose values are in a stretch of a buffer; none: nothing of this step is. */
  contributors(device: DeviceIndex, slice: Slice): RankSet;
  /** The moment at the cursor takes the stretch away to another device. */
  sends(device: DeviceIndex, slice: Slice): boolean;
  /** What the moment at the cursor brings into the stretch. */
  arrival(device: DeviceIndex, slice: Slice): ChunkArrival | undefined;
  /** What the room shows. */
  view(device: DeviceIndex): RoomView;
  /** The most recent exchange of gradients. */
  wire(device: DeviceIndex): Exchange | undefined;
  /** Of a rank of a pipeline: what it keeps and has summed up of the step's micro-batches. */
  stageWork?(device: DeviceIndex): StageWork | undefined;
  /** The moment at the cursor has made what the event makes. */
  fresh(event: number | undefined): boolean;
  /** The moment at the cursor is under way, and the event is of it. */
  under(event: number | undefined): boolean;
  /** The transfers of the moment at the cursor. */
  readonly moving: readonly Packet[];
  /** Those that are under way. */
  readonly transits: readonly Transit[];
  /** What does not change with the cursor; undefined before the first trace. */
  readonly step: StepPicture | undefined;
  /** Index of the last event that is done. */
  readonly done: number;
}
