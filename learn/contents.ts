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
  /** Ways through the course that lead through it. */
  readonly paths?: readonly PathName[];
  /** Of a semester; lessons without one are for reading at home. */
  readonly week?: number;
}

export type PathName = 'minutes' | 'afternoon' | 'job';

/** Ways through the course for readers who do not want all of it; which lessons are on them, CONTENTS says. */
export const PATHS: Readonly<Record<PathName, { readonly title: string; readonly who: string }>> = {
  minutes: { title: 'Ten minutes', who: 'You want to see once how several GPUs train one net.' },
  afternoon: { title: 'An afternoon', who: 'You have trained a net on one GPU and have never used two.' },
  job: { title: 'A job to run', who: 'You have a training script, a cluster, and a deadline.' },
};

export const CONTENTS: readonly Entry[] = [
  { name: 'one-device', title: 'One device: what a training step is', paths: ['afternoon'], week: 1 },
  { name: 'why-more', title: 'Why more devices', paths: ['afternoon'], week: 2 },
  { name: 'data-parallel', title: 'DataParallel: one process, many GPUs', week: 2 },
  { name: 'ddp', title: 'DistributedDataParallel: every rank alike', paths: ['minutes', 'afternoon', 'job'], week: 3 },
  { name: 'launching', title: 'Launching: one script, many processes', paths: ['job'], week: 4 },
  { name: 'your-script', title: 'Your script, from one GPU to many', paths: ['job'], week: 4 },
  { name: 'all-reduce', title: 'All-reduce: how four gradients become one', paths: ['afternoon'], week: 5 },
  { name: 'buckets', title: 'Buckets and overlap', paths: ['afternoon'], week: 6 },
  { name: 'samplers', title: 'Data, samplers and seeds', paths: ['job'], week: 7 },
  { name: 'batch-size', title: 'Batch size, accumulation and no_sync', paths: ['job'], week: 7 },
  { name: 'what-else', title: 'What else must agree: BatchNorm, buffers, dropout', paths: ['job'], week: 8 },
  { name: 'checkpointing', title: 'Activation checkpointing', week: 9 },
  { name: 'model-parallel', title: 'Model parallelism: layers on different devices', week: 9 },
  { name: 'pipelines', title: 'Pipelines: what a bubble is', week: 10 },
  { name: 'pipeline-schedules', title: 'Pipeline schedules: zero bubble and V', week: 10 },
  { name: 'tensor-parallel', title: 'Tensor parallelism', week: 11 },
  { name: 'sharding', title: 'Sharding states: ZeRO and FSDP', week: 11 },
  { name: 'half-precision', title: 'Half precision', week: 12 },
  { name: 'meshes', title: 'Meshes: all at once', week: 12 },
  {
    name: 'when-it-goes-wrong',
    title: 'When it goes wrong: hangs, stragglers, crashes, checkpoints',
    paths: ['job'],
    week: 13,
  },
  {
    name: 'traces',
    title: 'Reading a trace',
    paths: ['job'],
    week: 13,
  },
  { name: 'which-mode', title: 'Which mode should I use?', paths: ['job'], week: 14 },
  { name: 'from-tensorflow', title: 'Coming from TensorFlow', week: 14 },
];
