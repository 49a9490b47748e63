/**
 * Turns a checkpoint into the state that this run begins with: every buffer of every device, the order of batches, the
 * step. With the same mode and world size each device gets its own values back, and the run continues bit for bit.
 * Otherwise values are matched by name: each device takes its piece of the whole tensor (map_location), and notices say
 * what changes. Called by blueprint.ts; pure.
 */

import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import type { BatchSource, BatchState } from '../../data/batch-source';
import type { ModeFacets } from '../../parallel/facets/mode-facets';
import type { ParallelMode } from '../../parallel/mode';
import type { Program } from '../../program/instruction';
import { tensorOf } from '../../program/stored-tensor';
import type { Config } from '../../protocol/config';
import { firstOfStep, stepOf } from '../../protocol/micro-batches';
import type { Notice } from '../../protocol/notice';
import { pieceOn, type ShardMap } from '../../sharding/shard-map';
import { slice } from '../../sharding/slice';
import { elements } from '../../tensor/shape';
import { type BufferValue, type Stateful, statefulBuffers } from '../world-state';
import { checkOptimizerState } from './check-optimizer-state';
import type { Checkpoint } from './checkpoint';
import { configChanges } from './config-changes';
import type { SavedCheckpoint, SavedValues } from './read-checkpoint';
import { resumeNotices } from './resume-notices';
import { steppedParameters } from './torch-groups';

export interface ResumePlan {
  /** Where the run begins. */
  readonly checkpoint: Checkpoint;
  readonly notices: readonly Notice[];
  /** Every device continues with its own values and rows, as if the run had not stopped. */
  readonly exact: boolean;
}

export interface ResumeInput {
  readonly saved: SavedCheckpoint;
  readonly config: Config;
  readonly mode: ParallelMode;
  readonly facets: ModeFacets;
  readonly parameters: readonly string[];
  readonly programs: readonly Program[];
  readonly reference: readonly Program[];
  readonly shards: ShardMap;
  readonly referenceShards: ShardMap;
  readonly worldSize: number;
  readonly processes: number;
  readonly batchesPerEpoch: number;
  batches(from: BatchState): BatchSource;
}

export function resumePlan(input: ResumeInput): ResumePlan {
  const { saved, config, parameters, worldSize, processes } = input;
  const stepped = steppedParameters(config, parameters, statefulBuffers(input.programs));
  const fresh = checkOptimizerState(saved, config, parameters, stepped);
  const changes = configChanges(saved.config, config, { face: input.mode.face, batches: input.facets.batches });
  const sameWorld = saved.mode === config.mode && saved.worldSize === worldSize;
  const sameRows = changes.ofBatches.length === 0 && saved.batches.generators.length === processes;
  const exact = sameWorld && sameRows;
  const inGroup = saved.microBatch % saved.accumulate;
  // A process that continues with its own rows keeps its accumulated gradients.
  const keepsGradients = exact || (sameRows && processes === 1);
  if (inGroup > 0 && config.resumeBy === 'rank0' && processes > 1) throw ownGradients(saved, inGroup);
  // The count of steps continues; if a step now has another number of micro-batches, the rows are distributed again.
  const microBatch = keepsGradients ? saved.microBatch : firstOfStep(stepOf(saved.microBatch, saved), config);
  const sameMesh = sameWorld && !changes.names.includes('mesh');
  const from = sameMesh ? saved.batches : fromOneGenerator(saved.batches);
  const batches = sameRows ? { ...from, microBatch } : dealtAnew(input, from, microBatch);
  const values = carried(saved.values, statefulBuffers(input.programs), {
    shards: input.shards,
    exact: sameWorld,
    keepsGradients,
  });
  // Without a reference in the checkpoint, the reference begins with the run's values.
  const referenceFrom = saved.reference.size > 0 ? saved.reference : saved.values;
  const reference = carried(referenceFrom, statefulBuffers(input.reference), {
    shards: input.referenceShards,
    exact: false,
    keepsGradients: saved.reference.size > 0,
  });
  return {
    checkpoint: { microBatch, values, reference, batches },
    exact,
    notices: resumeNotices({ ...input, changes, fresh, exact, sameWorld, sameRows, microBatch }),
  };
}

const ownGradients = ({ name, ...saved }: SavedCheckpoint, inGroup: number): LockstepError =>
  new LockstepError(
    'config',
    `The checkpoint "${name}" was saved in the middle of step ${stepOf(saved.microBatch, saved)}, after ${inGroup} of its ${saved.accumulate} micro-batches. Each rank had accumulated different gradients then, and rank 0 cannot broadcast them.`,
    'Set resumeBy to "everyRank", or save between two steps.',
  );

interface Carrying {
  readonly shards: ShardMap;
  /** Each device takes its own saved values. */
  readonly exact: boolean;
  readonly keepsGradients: boolean;
}

/**
 * Each device takes its piece of the file's whole tensor, whatever pieces were saved; values that differed between
 * devices return to their devices. Values that are not in the checkpoint keep the initial values of a run.
 */
function carried(
  saved: SavedValues,
  buffers: readonly Stateful[],
  { shards, exact, keepsGradients }: Carrying,
): BufferValue[] {
  return buffers.flatMap(({ device, spec }) => {
    if (spec.category === 'gradient' && !keepsGradients) return [];
    const held = saved.get(spec.name) ?? [];
    const own = exact ? held.find(({ devices }) => devices.includes(device)) : undefined;
    const tensor = tensorOf(spec);
    if (own?.own && own.data.length === elements(tensor.shape)) return [{ device, buffer: spec.name, data: own.data }];
    const layout = shards.get(spec.name);
    const shape = layout?.shape ?? tensor.shape;
    const whole = held.find((value) => !value.own && value.data.length === elements(shape));
    if (!whole) return [];
    const piece = layout && pieceOn(layout, device);
    return [{ device, buffer: spec.name, data: piece ? slice(whole.data, shape, piece) : whole.data }];
  });
}

/**
 * On another mesh the generators of single ranks belong to none of the new ranks. So all ranks go on from the generator
 * of rank 0, and draw the same masks for a whole activation.
 */
function fromOneGenerator({ ofRanks, ...state }: BatchState): BatchState {
  const [first] = ofRanks ?? [];
  return first ? { ...state, generators: state.generators.map(() => first) } : state;
}

/** Runs this run's samplers from the start of the epoch, each process with the generator of its rank or of rank 0. */
function dealtAnew(
  { processes, batchesPerEpoch, batches }: ResumeInput,
  from: BatchState,
  microBatch: number,
): BatchState {
  const generators = Array.from({ length: processes }, (_, p) => from.generators[p] ?? at(from.generators, 0));
  const start = microBatch - (microBatch % batchesPerEpoch);
  const source = batches({
    microBatch: start,
    epoch: start / batchesPerEpoch - 1,
    batches: generators.map(() => []),
    generators,
    ...(from.ofRanks ? { ofRanks: from.ofRanks } : {}),
  });
  for (let m = start; m < microBatch; m++) source.skip();
  return source.state();
}
