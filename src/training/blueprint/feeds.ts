/**
 * The host's input to each step: rows, masks, noise, and the optimiser's scalars, for the run and for its single-device
 * reference. Functions of the step alone. Called by blueprint.ts.
 */
import { at } from '../../base/invariant';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { StepBatch } from '../../data/batch-source';
import { tensorSplit } from '../../data/tensor-split';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { makeStepScalars } from '../../optim/scalars';
import type { ModeFacets } from '../../parallel/facets/mode-facets';
import type { ModeInput } from '../../parallel/mode-input';
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { stepOf } from '../../protocol/micro-batches';
import type { TrainingKind } from '../../protocol/step-kind';
import type { MicroBatchFeed, StepFeed } from '../../runtime/launch/world';
import { joinedMasks } from '../mask-draws';
import { RunKinds } from '../run-kinds';
import { endsWithinEpoch, joinedKind, type KindRules } from '../step-kinds';
import { optimizerSteps } from './optimizer-steps';

export interface Feeds {
  /** The kind of the Program that runs this batch alone. */
  kindOf(batch: Pick<StepBatch, 'microBatch'>): TrainingKind;
  /**
   * Whether the run leaves join() within an epoch after this micro-batch, because the run ends there, and the ranks'
   * models may differ until then.
   */
  leavesJoin(microBatch: number): boolean;
  /** The number of micro-batches, from this one on, that one Program runs. */
  togetherAt(microBatch: number): number;
  /**
   * The input of one Program, for one micro-batch or several. `skipped`: number of steps that the GradScaler has
   * skipped.
   */
  feed(batches: readonly StepBatch[], skipped?: number): StepFeed;
  /** The number of optimizer.step() calls before this step of the run. */
  optimizerStepsBefore(step: number): number;
  referenceTogetherAt(microBatch: number): number;
  referenceFeed(batches: readonly StepBatch[], skipped?: number): StepFeed;
}

export interface FeedsInput {
  readonly input: ModeInput;
  readonly facets: ModeFacets;
  readonly mesh: DeviceMesh;
  readonly schedule: BatchSchedule;
  readonly rules: KindRules;
  readonly referenceRules: KindRules;
}

export function createFeeds({ input, facets, mesh, schedule, rules, referenceRules }: FeedsInput): Feeds {
  const { config } = input;
  const { steps, batches } = facets;
  const kinds = new RunKinds(schedule, rules);
  const referenceKinds = new RunKinds(schedule, referenceRules, joinedKind);
  const stepScalars = makeStepScalars(config);
  const counted = optimizerSteps(config, facets, schedule);
  const scalars = ({ microBatch, epoch }: StepBatch, skipped: number): Float32Array => {
    const step = stepOf(microBatch, config);
    const [done, each] = [counted.before(step), counted.in(step)];
    if (each === 1) return stepScalars(done + 1, epoch, skipped);
    return Float32Array.from(Array.from({ length: each }, (_, u) => [...stepScalars(done + u + 1, epoch)]).flat());
  };
  /** A rank that ran out of batches earlier has taken fewer steps than the others. */
  const behind = new Set(schedule.totals).size > 1;
  const scalarsOfRanks = ({ microBatch }: StepBatch, skipped: number) =>
    schedule.totals.map((_, rank) =>
      stepScalars(
        stepOf(schedule.batchesBefore(rank, microBatch), config) + 1,
        schedule.placeOf(rank, microBatch)?.epoch ?? 0,
        skipped,
      ),
    );
  const drawsOf = steps.noise?.(input);
  /** Masks, and the mode's noise. */
  const allDraws = ({ microBatch, masks }: StepBatch): StepDraws => {
    const own = drawsOf?.(stepOf(microBatch, config)) ?? [];
    return own.length === 0
      ? masks
      : [
          ...masks,
          ...own.flatMap(({ devices = mesh.devices, ...draw }) =>
            devices.map((device) => ({ ...draw, device, microBatch: 0 })),
          ),
        ];
  };
  return {
    kindOf: ({ microBatch }) => kinds.at(microBatch).kind,
    leavesJoin: (microBatch) =>
      endsWithinEpoch(microBatch, schedule, rules) && ranksDiffer(config, schedule, microBatch + 1),
    togetherAt: (microBatch) => kinds.togetherAt(microBatch),
    feed(taken, skipped = 0) {
      const { microBatch } = at(taken, 0);
      const last = at(taken, taken.length - 1);
      return {
        program: kinds.at(microBatch, taken.length).key,
        microBatch,
        microBatches: taken.flatMap((batch) => {
          const masks = allDraws(batch);
          return batches.pieces
            ? cut(batch.rows, masks, batches.pieces(config, rowCounts(batch)))
            : [{ rows: batch.rows, masks }];
        }),
        scalars: scalars(last, skipped),
        ...(behind ? { scalarsOf: scalarsOfRanks(last, skipped) } : {}),
      };
    },
    optimizerStepsBefore: counted.before,
    referenceTogetherAt: (microBatch) => referenceKinds.togetherAt(microBatch),
    referenceFeed(taken, skipped = 0) {
      const last = at(taken, taken.length - 1);
      return {
        program: referenceKinds.at(at(taken, 0).microBatch, taken.length).key,
        microBatches: taken.map(({ rows, masks }) => ({ rows: [concat(rows)], masks: joinedMasks(masks) })),
        scalars: stepScalars(stepOf(last.microBatch, config) + 1, last.epoch, skipped),
      };
    },
  };
}

/** Whether ranks inside join() may have different models before this micro-batch. */
const ranksDiffer = ({ ddp, model }: Config, { totals, batchesBefore }: BatchSchedule, microBatch: number): boolean =>
  totals.some((_, rank) => batchesBefore(rank, microBatch) < microBatch) ||
  (totals.length > 1 && (batchNorms(model.layers) > 0 || ddp.commHook.type === 'localSGD' || !ddp.initSync));

/** Each mask with the piece of the batch that it is for. */
type StepDraws = readonly (MicroBatchFeed['masks'][number] & { readonly microBatch: number })[];

const rowCounts = ({ rows }: StepBatch): readonly number[] => rows.map((own) => own.length);

/** Cuts the rows of every data index into pieces, as torch.tensor_split does. */
function cut(rows: StepBatch['rows'], masks: StepDraws, pieces: number): readonly MicroBatchFeed[] {
  const cuts = rows.map((own) => {
    let start = 0;
    return tensorSplit(own.length, pieces).map((count) => {
      start += count;
      return own.subarray(start - count, start);
    });
  });
  return Array.from({ length: pieces }, (_, m) => ({
    rows: cuts.map((own) => at(own, m)),
    masks: masks.filter(({ microBatch }) => microBatch === m),
  }));
}

function concat(parts: readonly Int32Array[]): Int32Array {
  const result = new Int32Array(parts.reduce((n, p) => n + p.length, 0));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}
