/**
 * The table of contents of the lessons, in their order. Each that is written has a folder of its name here, with
 * lesson.mdx, lesson.ts and claims.test.ts; the others come with the parallel mode that they are about.
 */
export interface Entry {
  /** Folder, and name of the page: `learn/NAME.html`. */
  readonly name: string;
  /** In the list and on the buttons to the next and the one before. */
  readonly title: string;
  /** What the reader will know; of a lesson that is not written yet. */
  readonly planned?: string;
}

export const CONTENTS: readonly Entry[] = [
  { name: 'one-device', title: 'One device: what a training step is' },
  { name: 'why-more', title: 'Why more devices' },
  { name: 'data-parallel', title: 'DataParallel: one process, many GPUs' },
  { name: 'ddp', title: 'DistributedDataParallel: every rank alike' },
  { name: 'all-reduce', title: 'All-reduce: how four gradients become one' },
  { name: 'buckets', title: 'Buckets and overlap' },
  { name: 'samplers', title: 'Data, samplers and seeds' },
  { name: 'batch-size', title: 'Batch size, accumulation and no_sync' },
  { name: 'what-else', title: 'What else must agree: BatchNorm, buffers, dropout' },
  { name: 'model-parallel', title: 'Model parallelism: layers on different devices' },
  { name: 'pipelines', title: 'Pipelines: micro-batches close the bubble' },
  {
    name: 'tensor-parallel',
    title: 'Tensor parallelism',
    planned: 'One matrix product cut two ways, and where the all-reduces come from.',
  },
  {
    name: 'sharding',
    title: 'Sharding states: ZeRO and FSDP',
    planned: 'Weights are gathered, used and freed: memory by kind beside its formula.',
  },
  { name: 'meshes', title: 'Meshes: all at once', planned: 'Three kinds of parallelism on one grid of devices.' },
  { name: 'launching', title: 'Launching and processes' },
  { name: 'when-it-goes-wrong', title: 'When it goes wrong: hangs, stragglers, crashes, checkpoints' },
  { name: 'which-mode', title: 'Which mode should I use?', planned: 'An advisor that runs your model in each mode.' },
  { name: 'from-tensorflow', title: 'Coming from TensorFlow' },
];
