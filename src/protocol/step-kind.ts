/**
 * The purpose of a Program, as a value: which micro-batches of a run it computes, with how many rows, and what happens
 * to their gradients; or what it does outside steps. Program and StepTrace have a kind; code that needs to know
 * something about a step reads the kind's fields. A kind has two texts that must not be parsed: `programKey`, its key
 * in a Map of Programs, and `kindLabel`, words for readers.
 */

/** The phase of a step for a DDP communication hook that does not do the same in every step; otherwise 'usual'. */
export type HookPhase = 'usual' | 'plain' | 'random' | 'average';

/** One forward and backward pass, of every data index. */
export interface MicroBatchKind {
  /** Full; last: the short batch at the end of an epoch; other: for example, some ranks have run out of batches. */
  readonly size: 'full' | 'last' | 'other';
  /** Number of rows of each data index. */
  readonly rows: readonly number[];
  /**
   * add: the gradients are added to .grad, which holds earlier micro-batches' gradients; set: they replace .grad, as
   * after zero_grad().
   */
  readonly gradients: 'set' | 'add';
  /** DDP: the forward pass is not under no_sync, so backward reduces .grad. */
  readonly reduces: boolean;
  /** DDP: the previous forward pass was not under no_sync, so buffers are broadcast. */
  readonly syncsBuffers: boolean;
  /** DDP: it reduces in the constructor's buckets, which are rebuilt later. */
  readonly beforeRebuild: boolean;
  /** DDP: after it all ranks have run out of batches and leave join(). */
  readonly endsJoin: boolean;
}

/** Micro-batches of one accumulation group, one after the other, or pieces of one batch. */
export interface TrainingKind {
  readonly type: 'training';
  readonly microBatches: readonly MicroBatchKind[];
  /** Whether the optimiser steps after the last micro-batch, because that is the last of its group. */
  readonly steps: boolean;
  readonly hookPhase: HookPhase;
  /**
   * The micro-batches are pieces of one batch, cut by torch.tensor_split, which are in flight together in a pipeline.
   * Absent: each is a batch, and they run one after another.
   */
  readonly ofOneBatch?: true;
}

/**
 * training: micro-batches of a run. construct: before step 0 (DDP's constructor). resume: rank 0 broadcasts a
 * checkpoint that it has read. alone: a Program outside any run, such as a collective of the lab.
 */
export type StepKind =
  | TrainingKind
  | { readonly type: 'construct' | 'resume' }
  | { readonly type: 'alone'; readonly name: string };

export const CONSTRUCT: StepKind = { type: 'construct' };
export const RESUME: StepKind = { type: 'resume' };
export const ALONE: StepKind = { type: 'alone', name: '' };

/** The kind of a whole step of one full micro-batch with these rows. */
export function fullStep(rows: readonly number[], different: Partial<MicroBatchKind> = {}): TrainingKind {
  const full: MicroBatchKind = {
    size: 'full',
    rows,
    gradients: 'set',
    reduces: true,
    syncsBuffers: true,
    beforeRebuild: false,
    endsJoin: false,
  };
  return { type: 'training', microBatches: [{ ...full, ...different }], steps: true, hookPhase: 'usual' };
}

/** Whether one of its micro-batches has the property. */
export const hasMicroBatch = (kind: StepKind, test: (microBatch: MicroBatchKind) => boolean): boolean =>
  kind.type === 'training' && kind.microBatches.some(test);

/** The optimiser steps after that micro-batch of the Program. */
export const stepsAfter = ({ microBatches, steps }: TrainingKind, microBatch: number): boolean =>
  steps && microBatch === microBatches.length - 1;

/** Whether a kind is that of most steps: one full micro-batch, after which the optimiser steps, and nothing else. */
export function isUsual(kind: StepKind): boolean {
  if (kind.type !== 'training' || (kind.microBatches.length > 1 && !kind.ofOneBatch)) return false;
  const [only] = kind.microBatches;
  return kind.steps && kind.hookPhase === 'usual' && only?.size === 'full' && !only.beforeRebuild && !only.endsJoin;
}

declare const key: unique symbol;
/** A key for Maps only; an object type, so that code cannot parse it as text. */
export interface ProgramKey {
  readonly [key]: true;
}

/** Kinds of equal contents have equal keys. */
export const programKey = (kind: StepKind): ProgramKey => keyText(kind) as unknown as ProgramKey;

function keyText(kind: StepKind): string {
  if (kind.type === 'alone') return `alone ${kind.name}`;
  if (kind.type !== 'training') return kind.type;
  // Looked up several times per step: pieced together without arrays.
  let text = `${kind.steps} ${kind.hookPhase} ${kind.ofOneBatch}`;
  for (const { size, rows, gradients, reduces, syncsBuffers, beforeRebuild, endsJoin } of kind.microBatches)
    text += ` ${size},${rows},${gradients},${reduces},${syncsBuffers},${beforeRebuild},${endsJoin}`;
  return text;
}

declare const label: unique symbol;
/** Text for readers, inserted into sentences by templates; code must not parse it. */
export interface KindLabel {
  readonly [label]: true;
}

/** 'full', 'last', 'full-set', 'first', '8,0-end', 'full-average', 'construct'. */
export function kindLabel(kind: StepKind): KindLabel {
  return labelText(kind) as unknown as KindLabel;
}

function labelText(kind: StepKind): string {
  if (kind.type !== 'training') return kind.type;
  const { microBatches, hookPhase, ofOneBatch } = kind;
  if (ofOneBatch) return microBatches[0]?.size ?? '';
  const parts = microBatches.map((microBatch, i) => {
    const { gradients, beforeRebuild, endsJoin } = microBatch;
    const size = microBatch.size === 'other' ? microBatch.rows.join() : microBatch.size;
    const isStep = stepsAfter(kind, i);
    const whole = beforeRebuild ? (size === 'full' ? 'first' : `${size}-first`) : size;
    return `${isStep ? whole : `${size}-${gradients}${beforeRebuild ? '-first' : ''}`}${endsJoin ? '-end' : ''}`;
  });
  return `${parts.join(' + ')}${hookPhase === 'usual' ? '' : `-${hookPhase}`}`;
}
