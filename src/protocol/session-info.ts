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
  /**
   * Number of processes that can fail by themselves: the ranks, or more if a mode with one process would use RPC in
   * PyTorch.
   */
  readonly processes: number;
  readonly parameters: readonly ParameterInfo[];
  readonly buffers: readonly BufferInfo[];
  readonly memory: readonly DeviceMemory[];
  /** For a run in half precision: the memory that it would need in float32. */
  readonly memoryInFloat32?: readonly MemoryByKind[] | undefined;
  /** DDP: a trace of its constructor, before the first step; undefined if it sends nothing. */
  readonly construct: StepTrace | undefined;
  /** Micro-batches per epoch; with `accumulate` 1 these are steps. */
  readonly batchesPerEpoch: number;
  readonly batchPerRank: readonly number[];
  /** One for each part of the batch: ranks that share a layer compute equal losses, so one of them is enough. */
  readonly lossLines: readonly LossLine[];
  readonly dataset: DatasetPreview;
  /** DDP only. */
  readonly buckets: BucketsInfo | undefined;
  /** The plan, if layers are cut. */
  readonly plan?: PlanInfo | undefined;
  /** The shards, if ranks keep shards of parameters. */
  readonly sharding?: ShardingInfo | undefined;
  readonly roles: readonly DeviceRole[];
  /** Layers (indices into config.model.layers) that live on each device. */
  readonly layersOfDevice: readonly (readonly number[])[];
  /** The closed form of each Program, if the mode has one. */
  readonly closedForms: readonly KindForm[];
  readonly hardwareLabel: string;
}

/** A device that computes a loss: its title ('rank 2', 'worker 1'), and its place in LossRecord.perRank. */
export interface LossLine {
  readonly device: number;
  readonly title: string;
  readonly place: number;
}

export type MemoryByKind = Pick<DeviceMemory, 'device' | 'peakBytes' | 'byCategory'>;

export interface DeviceReport {
  readonly kind: 'webgpu' | 'cpu';
  readonly adapter: string;
  readonly software: boolean;
  /** For a run with float16 on a GPU: how its kernels convert halves (runtime/executor). */
  readonly float16?: 'f16' | 'packed' | 'inexact';
  /** On a GPU whose kernels use subgroups: between how many neighbours (runtime/executor). */
  readonly subgroups?: number;
  /** With the setting `adapters`: the adapter of each device of the mesh, in order. */
  readonly adapters?: readonly Pick<DeviceReport, 'kind' | 'adapter' | 'software'>[];
}

export interface ParameterInfo {
  readonly name: string;
  readonly shape: readonly number[];
}

/** The role of a device in its mode, for the views. */
export interface DeviceRole {
  /** 'rank 2', 'server', 'cuda:0'. */
  readonly title: string;
  /** Shown after the title: 'cuda:2', unless that is the title. */
  readonly beside: string | undefined;
  /** Whether it reads rows of the batch, not the output of another device. */
  readonly hasRows: boolean;
  /** Whether it keeps state between steps: false if each forward pass makes its weights again. */
  readonly keepsState: boolean;
}

/** The whole, and the first rank's part of it. */
export interface OfWhole {
  readonly whole: number;
  readonly own: number;
}

/** What ranks keep in shards. */
export interface ShardingInfo {
  readonly ranks: number;
  /** Bytes of the whole model: parameters, their gradients, the states of the optimiser. */
  readonly whole: ModelStates;
  /** Units in the order in which they are gathered, the root first. */
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
  /** Path of the module; '' is the root. */
  readonly path: string;
  /** Bytes of its whole parameters. */
  readonly bytes: number;
  /** Bytes of each rank's input to the all-gather, padding included. */
  readonly perRankBytes: number;
}

/** How layers are cut among the ranks of a tensor group. */
export interface PlanInfo {
  /** Modules that may be cut, in the order of the model. */
  readonly modules: readonly PlanModule[];
  /** Paths of modules before which tensors are gathered although the plan does not ask for it. */
  readonly gathersFor: readonly string[];
  /** Collectives of one forward and backward pass, as the first rank calls them. */
  readonly collectives: readonly PlanCollective[];
  /** Bytes of the largest activation, forward and backward, of a full batch. */
  readonly activation: OfWhole;
  /** Number of parameters, not bytes. */
  readonly parameters: OfWhole;
  /** Path of the layer whose logits the loss takes in parts (loss_parallel) if the layer is cut by columns. */
  readonly head?: string | undefined;
}

export interface PlanModule {
  readonly path: string;
  readonly type: LayerType;
  /** Styles that it may have, apart from staying whole. */
  readonly choices: readonly StyleName[];
  /** Absent: the module is whole. */
  readonly style?: StyleName | undefined;
  /** The plan's entry for the module: style and layouts. */
  readonly entry?: StyleConfig | undefined;
  /** Paths of other modules that share its weight. A plan cuts them alike. */
  readonly sharesWith: readonly string[];
  readonly parameters: OfWhole;
}

export interface PlanCollective {
  readonly op: CollectiveOp;
  readonly module: string;
  readonly phase: 'forward' | 'backward';
  /** Name of the tensor. */
  readonly value: string;
  /** Bytes of the first rank's input. */
  readonly bytes: number;
}

/** DDP's gradient buckets, in the order in which they are launched. */
export interface BucketsInfo {
  /** The constructor's buckets. */
  readonly initial: readonly BucketInfo[];
  /** The buckets after the rebuild, in ready order; undefined: DDP never rebuilds (find_unused_parameters). */
  readonly rebuilt: readonly BucketInfo[] | undefined;
  /** Number of synced passes with the initial buckets, if DDP rebuilds them. */
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
  /** Names of the classes; numbers if a file has no names; empty for regression. */
  readonly classNames: readonly string[];
  /** tokens: the text of each id. */
  readonly vocabulary: readonly string[];
  /** image: up to 40 training rows. */
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
