/**
 * The table of contents of the lessons, in reading order; the place in this list is the lesson's number. A written
 * lesson has a folder of its name here, with lesson.mdx, lesson.ts and claims.test.ts. A planned one has none yet: it
 * stands at its place in the course with the reason why it is missing.
 */
export interface Entry {
  /** Folder, and name of the page: `learn/NAME.html`. Never renamed, since people link to it. */
  readonly name: string;
  /** In the list, and on the buttons to the next lesson and the one before. */
  readonly title: string;
  /** What the reader will learn in a lesson that is not written yet, and what it waits for. */
  readonly planned?: string;
}

export const CONTENTS: readonly Entry[] = [
  { name: 'one-device', title: 'One device: what a training step is' },
  { name: 'why-more', title: 'Why more devices' },
  { name: 'data-parallel', title: 'DataParallel: one process, many GPUs' },
  { name: 'ddp', title: 'DistributedDataParallel: every rank alike' },
  { name: 'launching', title: 'Launching: one script, many processes' },
  {
    name: 'your-script',
    title: 'Your script, from one GPU to many',
    planned: 'Convert a whole script, evaluate on all ranks, log, save and resume. Being written.',
  },
  { name: 'all-reduce', title: 'All-reduce: how four gradients become one' },
  { name: 'buckets', title: 'Buckets and overlap' },
  { name: 'samplers', title: 'Data, samplers and seeds' },
  { name: 'batch-size', title: 'Batch size, accumulation and no_sync' },
  { name: 'what-else', title: 'What else must agree: BatchNorm, buffers, dropout' },
  { name: 'checkpointing', title: 'Activation checkpointing' },
  { name: 'model-parallel', title: 'Model parallelism: layers on different devices' },
  { name: 'pipelines', title: 'Pipelines: what a bubble is' },
  { name: 'pipeline-schedules', title: 'Pipeline schedules: zero bubble and V' },
  {
    name: 'tensor-parallel',
    title: 'Tensor parallelism',
    planned: 'Cut one matrix product in two ways, and see where the all-reduces come from. Comes with its mode.',
  },
  {
    name: 'sharding',
    title: 'Sharding states: ZeRO and FSDP',
    planned: 'Gather weights, use them, free them: memory by kind beside its formula. Comes with its mode.',
  },
  {
    name: 'meshes',
    title: 'Meshes: all at once',
    planned: 'Three kinds of parallelism on one grid of devices. Comes with its modes.',
  },
  { name: 'when-it-goes-wrong', title: 'When it goes wrong: hangs, stragglers, crashes, checkpoints' },
  {
    name: 'traces',
    title: 'Reading a trace',
    planned: 'Take a recording of torch.profiler apart and find what costs the time. Being written.',
  },
  {
    name: 'which-mode',
    title: 'Which mode should I use?',
    planned: 'An advisor that runs your model in each mode. Comes with the advisor.',
  },
  { name: 'from-tensorflow', title: 'Coming from TensorFlow' },
];
