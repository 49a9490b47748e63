/**
 * The position of a run: the next micro-batch, the order of batches from there on, and the values on the devices of its
 * world and of the single-device reference. It can go to the start, to a checkpoint, or forward by some batches.
 */
import type { BatchSource, StepBatch } from '../data/batch-source';
import { RESUME } from '../protocol/step-kind';
import type { MemoryCategory } from '../protocol/trace';
import { emptyFeed } from '../runtime/launch/empty-feed';
import type { World } from '../runtime/launch/world';
import type { Blueprint } from './blueprint';
import type { Checkpoint } from './checkpoint/checkpoint';
import { byName, type Weights } from './weights/weights';
import { createWorldState, type WorldState } from './world-state';

/** What a state_dict holds. */
const KEPT: readonly MemoryCategory[] = ['parameter', 'buffer'];

export interface SavedRunState {
  /** Values of the world, without the reference. */
  readonly values: WorldState;
  /** The next micro-batch to run. */
  readonly microBatch: number;
  /** Micro-batches left before the script ends by itself (stops.ts); if none, throws the script's error. */
  left(): number;
  take(count: number): readonly StepBatch[];
  toStart(): Promise<void>;
  /** Resumes from a checkpoint's files: each rank has read them, or rank 0 has and broadcasts to the others. */
  resume(from: Checkpoint): Promise<void>;
  restore(checkpoint: Checkpoint): Promise<void>;
  checkpoint(): Promise<Checkpoint>;
  weights(): Promise<Weights>;
}

export function createRunState(blueprint: Blueprint, world: World, reference: World | undefined): SavedRunState {
  const { programs, rankOfDevice } = blueprint;
  const start = [...blueprint.parameters, ...blueprint.buffers];
  const values = createWorldState(
    world,
    programs,
    blueprint.shards,
    start,
    (device) => blueprint.parametersOfRanks[rankOfDevice[device] ?? 0] ?? [],
  );
  const ofReference = reference && createWorldState(reference, blueprint.reference, blueprint.referenceShards, start);
  let batches: BatchSource = blueprint.batches();
  let microBatch = 0;
  const goTo = (from: Checkpoint) => {
    batches = blueprint.batches(from.batches);
    microBatch = from.microBatch;
  };

  return {
    values,
    get microBatch() {
      return microBatch;
    },
    left() {
      const { stop } = blueprint;
      if (stop && microBatch >= stop.microBatch) throw stop.error;
      return (stop?.microBatch ?? Number.POSITIVE_INFINITY) - microBatch;
    },
    take(count) {
      const taken = Array.from({ length: count }, () => batches.next());
      microBatch += count;
      return taken;
    },
    async toStart() {
      await values.writeStart();
      await ofReference?.writeStart();
      batches = blueprint.batches();
      microBatch = 0;
    },
    async resume(from) {
      const byRank0 = programs.some(({ kind }) => kind.type === 'resume');
      await values.write(byRank0 ? from.values.filter(({ device }) => rankOfDevice[device] === 0) : from.values);
      if (byRank0) await world.run([emptyFeed(RESUME)]);
      await ofReference?.write(from.reference);
      goTo(from);
    },
    async restore(checkpoint) {
      await values.write(checkpoint.values);
      await ofReference?.write(checkpoint.reference);
      goTo(checkpoint);
    },
    async checkpoint() {
      const current = microBatch;
      const place = batches.state();
      const [own, referenceValues] = await Promise.all([values.read(), ofReference?.read() ?? []]);
      return { microBatch: current, values: own, reference: referenceValues, batches: place };
    },
    async weights() {
      const current = microBatch;
      const [own, referenceValues] = await Promise.all([values.read(KEPT), ofReference?.read(KEPT)]);
      return {
        microBatch: current,
        devices: rankOfDevice.map((_, d) => byName(own.filter((v) => v.device === d))),
        reference: referenceValues && byName(referenceValues),
      };
    },
  };
}
