/**
 * What a Program is for, as a value: which micro-batches of a run it computes, with how many rows, and what happens to
 * their gradients; or what runs beside the steps. Program and StepTrace carry it, and whoever wants to know something
 * of a step reads its fields. A kind becomes text in two ways that cannot be read back: `programKey`, the key under
 * which a set of Programs is kept in a Map, and `kindLabel`, words for people.
 */

/** Of a step, to a communication hook of DDP that does not do the same in every step; 'usual' where none does. */
export type HookPhase = 'usual' | 'plain' | 'random' | 'average';

/** One forward and backward pass, of every data index. */
export interface MicroBatchKind {
  /** Full, the short one at the end of an epoch, or another one (some have run out of batches). */
  readonly size: 'full' | 'last' | 'other';
  /** How many each data index has. */
  readonly rows: readonly number[];
  /**
   * add: the gradients join what .grad already holds from earlier micro-batches; set: they replace it, as after
   * zero_grad().
   */
  readonly gradients: 'set' | 'add';
  /** DDP: the forward pass is not under no_sync, so that what .grad holds after backward is reduced. */
  readonly reduces: boolean;
  /** DDP: the forward pass before was such a one, so that buffers are broadcast. */
  readonly syncsBuffers: boolean;
  /** DDP: it reduces in the buckets that the constructor built, which are rebuilt later. */
  readonly beforeRebuild: boolean;
  /** DDP: after it all ranks have run out of batches and leave join(). */
  readonly endsJoin: boolean;
}

/** Micro-batches of one accumulation group, one after the other, or pieces of one batch. */
export interface TrainingKind {
  readonly type: 'training';
  readonly microBatches: readonly MicroBatchKind[];
  /** The last of them is the last of its group: then the optimiser steps. */
  readonly steps: boolean;
  readonly hookPhase: HookPhase;
  /**
   * The micro-batches are pieces of one batch, cut as torch.tensor_split cuts, which a pipeline has under way at the
   * same time. Absent: each is a batch of its own, and they follow one another.
   */
  readonly ofOneBatch?: true;
}

/**
 * training: micro-batches of a run. construct: before step 0 (DDP's constructor). resume: rank 0 hands out what it has
 * read from a checkpoint. alone: a Program of no run, as a collective of the lab.
 */
export type StepKind =
  | TrainingKind
  | { readonly type: 'construct' | 'resume' }
  | { readonly type: 'alone'; readonly name: string };

export const CONSTRUCT: StepKind = { type: 'construct' };
export const RESUME: StepKind = { type: 'resume' };
export const ALONE: StepKind = { type: 'alone', name: '' };

/** A whole step of one full micro-batch with so many rows. */
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

/** Whether a micro-batch of it has that property. */
export const hasMicroBatch = (kind: StepKind, test: (microBatch: MicroBatchKind) => boolean): boolean =>
  kind.type === 'training' && kind.microBatches.some(test);

/** The optimiser steps after that micro-batch of the Program. */
export const stepsAfter = ({ microBatches, steps }: TrainingKind, microBatch: number): boolean =>
  steps && microBatch === microBatches.length - 1;

/** What most steps of a run are: one full micro-batch, after which the optimiser steps, and nothing else. */
export function isUsual(kind: StepKind): boolean {
  if (kind.type !== 'training' || (kind.microBatches.length > 1 && !kind.ofOneBatch)) return false;
  const [only] = kind.microBatches;
  return kind.steps && kind.hookPhase === 'usual' && only?.size === 'full' && !only.beforeRebuild && !only.endsJoin;
}

declare const key: unique symbol;
/** Good for nothing but a key of a Map: no text that could be taken apart. */
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
/** Text for people, put into a sentence by a template; what it is made of is not to be read from it. */
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
