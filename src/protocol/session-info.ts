/** What the page needs to draw before anything has run: the devices, the data, the buckets, the memory. Types only. */
import type { KindForm } from './closed-form';
import type { CollectiveOp } from './collective';
import type { Config } from './config';
import type { LayerType } from './config/layers';
import type { StyleConfig, StyleName } from './config/tensor';
import type { Notice } from './notice';
import type { RankEnvironment } from './process-group';
import type { BufferInfo, DeviceMemory, StepTrace } from './trace';

/** What the page needs to draw before anything has run. */
export interface SessionInfo {
  readonly config: Config;
  /** What torchrun would set for each process. */
  readonly environment: readonly RankEnvironment[];
  readonly device: DeviceReport;
  readonly notices: readonly Notice[];
  readonly worldSize: number;
  readonly ranks: number;
  /** What can fail by itself: the ranks, or more where a mode of one process runs over RPC elsewhere. */
  readonly processes: number;
  readonly parameters: readonly ParameterInfo[];
  readonly buffers: readonly BufferInfo[];
  readonly memory: readonly DeviceMemory[];
  /** Of a run in half precision: what it would reserve in float32. */
  readonly memoryInFloat32?: readonly MemoryByKind[] | undefined;
  /** DDP: what its constructor sent before the first step, as a trace of its own; undefined where it sends nothing. */
  readonly construct: StepTrace | undefined;
  /** Micro-batches in an epoch: where `accumulate` is 1, steps. */
  readonly batchesPerEpoch: number;
  readonly batchPerRank: readonly number[];
  readonly dataset: DatasetPreview;
  /** DDP only. */
  readonly buckets: BucketsInfo | undefined;
  /** Where layers are cut. */
  readonly plan?: PlanInfo | undefined;
  /** Where parameters are in shards. */
  readonly sharding?: ShardingInfo | undefined;
  readonly roles: readonly DeviceRole[];
  /** Layers (indices into config.model.layers) that live on each device. */
  readonly layersOfDevice: readonly (readonly number[])[];
  /** Of each Program, where the mode has one. */
  readonly closedForms: readonly KindForm[];
  readonly hardwareLabel: string;
}

export type MemoryByKind = Pick<DeviceMemory, 'device' | 'peakBytes' | 'byCategory'>;

export interface DeviceReport {
  readonly kind: 'webgpu' | 'cpu';
  readonly adapter: string;
  readonly software: boolean;
  /** With the setting `adapters`: what each device of the mesh computes on, in order. */
  readonly adapters?: readonly Pick<DeviceReport, 'kind' | 'adapter' | 'software'>[];
}

export interface ParameterInfo {
  readonly name: string;
  readonly shape: readonly number[];
}

/** What a device is in its mode, for the views. */
export interface DeviceRole {
  /** 'rank 2', 'server', 'cuda:0'. */
  readonly title: string;
  /** Stands behind the title: 'cuda:2' where that is not the title. */
  readonly beside: string | undefined;
  /** It works on rows of the batch, not on what another device makes of them. */
  readonly hasRows: boolean;
  /** What it held before the step counts: false where its weights are made anew on each forward. */
  readonly keepsState: boolean;
}

/** The whole, and what the first rank has of it. */
export interface OfWhole {
  readonly whole: number;
  readonly own: number;
}

/** What ranks keep in shards. */
export interface ShardingInfo {
  readonly ranks: number;
  /** Bytes of the whole model: parameters, their gradients, the states of the optimiser. */
  readonly whole: ModelStates;
  /** In the order in which they are gathered, the root first. */
  readonly units: readonly ShardedUnitInfo[];
  /** Paths of the layers that may be units. */
  readonly layers: readonly string[];
}

export interface ModelStates {
  readonly parameters: number;
  readonly gradients: number;
  readonly states: number;
}

export interface ShardedUnitInfo {
  /** Of the module; '' is the root. */
  readonly path: string;
  /** Of its whole parameters. */
  readonly bytes: number;
  /** That each rank brings to the all-gather, padding included. */
  readonly perRankBytes: number;
}

/** How layers are cut among the ranks of a tensor group. */
export interface PlanInfo {
  /** Those that may be cut, in the order of the model. */
  readonly modules: readonly PlanModule[];
  /** Paths of modules before which tensors are gathered though the plan does not ask for it. */
  readonly gathersFor: readonly string[];
  /** Of a forward and backward pass, as the first rank calls them. */
  readonly collectives: readonly PlanCollective[];
  /** Bytes of the largest activation, forward and backward, of a full batch. */
  readonly activation: OfWhole;
  /** Numbers, not bytes. */
  readonly parameters: OfWhole;
}

export interface PlanModule {
  readonly path: string;
  readonly type: LayerType;
  /** Beside leaving it whole. */
  readonly choices: readonly StyleName[];
  /** Absent: it is whole. */
  readonly style?: StyleName | undefined;
  /** What the plan says of the module, its style and layouts. */
  readonly entry?: StyleConfig | undefined;
  readonly parameters: OfWhole;
}

export interface PlanCollective {
  readonly op: CollectiveOp;
  readonly module: string;
  readonly phase: 'forward' | 'backward';
  /** Name of the tensor. */
  readonly value: string;
  /** That the first rank brings. */
  readonly bytes: number;
}

/** DDP's gradient buckets, in the order in which they are launched. */
export interface BucketsInfo {
  /** The constructor's. */
  readonly initial: readonly BucketInfo[];
  /** In ready order, after the rebuild; undefined: it never comes (find_unused_parameters). */
  readonly rebuilt: readonly BucketInfo[] | undefined;
  /** Synced passes that run on the initial buckets, where a rebuild comes. */
  readonly passesBeforeRebuild: number | undefined;
  /** Parameters in the order in which backward makes their gradients. */
  readonly readyOrder: readonly string[];
  /** Parameters that forward does not use. */
  readonly unused: readonly string[];
}

export interface BucketInfo {
  readonly bytes: number;
  /** In their order within the bucket. */
  readonly parameters: readonly string[];
}

export interface DatasetPreview {
  readonly task: 'classification' | 'regression';
  readonly rows: number;
  readonly testRows: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly kind: 'points' | 'image' | 'tokens' | 'table';
  /** Of one row: [2], [1, 28, 28], [context]. */
  readonly inputShape: readonly number[];
  /** Names of the classes; their numbers where a file gives none; empty in regression. */
  readonly classNames: readonly string[];
  /** tokens: the text of each id. */
  readonly vocabulary: readonly string[];
  /** image: up to 40 rows as they are trained on. */
  readonly images: readonly LabelledImage[];
  /** tokens: up to 8 rows as text: input and target (open positions as '·'). */
  readonly sequences: readonly { readonly input: string; readonly target: string }[];
  /** 2-D inputs only: up to 1,000 points as x, y, target, isTest. */
  readonly points: readonly (readonly [x: number, y: number, target: number, isTest: 0 | 1])[];
}

/** An image [channels, height, width] with values 0..1 as bytes 0..255. */
export interface LabelledImage {
  readonly row: number;
  readonly shape: readonly [channels: number, height: number, width: number];
  readonly pixels: Uint8Array<ArrayBuffer>;
  readonly label: number;
}
