/**
 * One run in progress: a world with the mode's Programs, the single-device twin beside it, the order of batches and the step counter. It runs
 * steps, traces a step, reads the weights, resets, checkpoints and restores. It has no pace, no page and no policy; those are in player.ts.
 */
import { at, must } from '../base/invariant';
import type { BatchSource, StepBatch } from '../data/batch-source';
import type { BufferSpec } from '../program/instruction';
import type { DeviceReport, Notice } from '../protocol/session';
import { CAPTURE_LIMIT, type Captured, type DeviceIndex, type LossRecord, type StepTrace } from '../protocol/trace';
import type { Loss } from '../runtime/executor';
import type { BufferRef, World } from '../runtime/launch/world';
import { allocate, elements, type HostArray } from '../tensor/shape';
import type { Blueprint } from './blueprint';
import type { DeviceKeeper } from './device-keeper';
import { openWorld } from './open-world';
import { stepTrace } from './step-trace';

/** Everything that a later step depends on. */
export interface Checkpoint {
  readonly step: number;
  readonly values: readonly (BufferRef & { readonly data: HostArray })[];
  readonly twin: readonly (BufferRef & { readonly data: HostArray })[];
}

/** Weights of every device, and of the twin, at one step. */
export interface Weights {
  readonly step: number;
  readonly devices: readonly ReadonlyMap<string, Float32Array>[];
  readonly twin: ReadonlyMap<string, Float32Array> | undefined;
}

export interface Training {
  readonly blueprint: Blueprint;
  readonly device: DeviceReport;
  readonly notices: readonly Notice[];
  /** The next step to run. */
  readonly step: number;
  readonly lost: Promise<string>;
  run(steps: number): Promise<readonly LossRecord[]>;
  trace(): Promise<StepTrace>;
  weights(): Promise<Weights>;
  reset(): Promise<void>;
  checkpoint(): Promise<Checkpoint>;
  restore(checkpoint: Checkpoint): Promise<void>;
  corrupt(event: number | undefined, add: number): Promise<void>;
  lose(): Promise<void>;
  dispose(): Promise<void>;
}

export interface TrainingOptions {
  readonly keeper: DeviceKeeper;
  readonly gpu: GPU | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const STATEFUL = new Set<BufferSpec['category']>(['parameter', 'optimizer', 'gradient']);

/** Persistent buffers of every device that training changes. */
function statefulBuffers(
  programs: Blueprint['programs'],
): readonly { readonly device: DeviceIndex; readonly spec: BufferSpec }[] {
  const found = new Map<string, { device: DeviceIndex; spec: BufferSpec }>();
  for (const program of programs) {
    for (const { device, buffers } of program.lanes) {
      for (const spec of buffers)
        if (spec.persistent && STATEFUL.has(spec.category)) found.set(`${device} ${spec.name}`, { device, spec });
    }
  }
  return [...found.values()];
}

export async function createTraining(
  blueprint: Blueprint,
  { keeper, gpu, onProgress }: TrainingOptions,
): Promise<Training> {
  const { config, programs, twin: twinPrograms, table, rankOfDevice } = blueprint;
  const choice = await keeper.choose(config.device);
  const shared = { table, choice, gpu, onProgress };
  const world = await openWorld({ ...shared, programs, placement: config.placement, rankOfDevice });
  const twin =
    twinPrograms.length > 0
      ? await openWorld({ ...shared, programs: twinPrograms, placement: 'shared', rankOfDevice: [0] })
      : undefined;
  const buffers = statefulBuffers(programs);
  const twinBuffers = statefulBuffers(twinPrograms);
  const initial = new Map(blueprint.parameters.map((p) => [p.name, p.data]));
  const traced = buffers.filter(({ spec }) => spec.category !== 'optimizer');
  let batches: BatchSource = blueprint.batches();
  let step = 0;

  const startValues = (list: typeof buffers) =>
    list.map(({ device, spec }) => ({
      device,
      buffer: spec.name,
      data: initial.get(spec.name) ?? allocate(spec.dtype, elements(spec.shape)),
    }));
  const record = (batch: StepBatch, losses: readonly Loss[]): LossRecord => {
    const perRank = losses.map((l) => l.value);
    return {
      step: batch.step,
      epoch: batch.epoch,
      perRank,
      loss: perRank.reduce((a, b) => a + b, 0) / Math.max(1, perRank.length),
    };
  };
  const read = async (from: World, list: typeof buffers) => {
    const refs = list.map(({ device, spec }) => ({ device, buffer: spec.name }));
    const values = await from.read(refs);
    return refs.map((ref, i) => ({ ...ref, data: at(values, i) }));
  };
  const construct = async () => {
    const program = programs.find((p) => p.variant === 'construct');
    if (program) await world.trace({ variant: 'construct', rows: [], scalars: new Float32Array(0) });
  };
  const reset = async () => {
    await world.write(startValues(buffers));
    await twin?.write(startValues(twinBuffers));
    batches = blueprint.batches();
    step = 0;
    await construct();
  };
  const byDevice = async (): Promise<StepTrace['initial']> => {
    const values = await read(world, traced);
    return rankOfDevice.map((_, device) => ({
      device,
      captured: values
        .filter((v) => v.device === device)
        .map(
          (v): Captured => ({ buffer: v.buffer, offset: 0, values: v.data.slice(0, CAPTURE_LIMIT) as Float32Array }),
        ),
    }));
  };

  await reset();
  return {
    blueprint,
    device: { ...world.info },
    notices: choice.notices,
    get step() {
      return step;
    },
    lost: Promise.race([world.lost, ...(twin ? [twin.lost] : [])]),

    async run(count) {
      const taken = Array.from({ length: count }, () => batches.next());
      step += count;
      const [losses] = await Promise.all([
        world.run(taken.map(blueprint.feed)),
        twin?.run(taken.map(blueprint.twinFeed)),
      ]);
      return taken.map((batch, i) => record(batch, losses[i] ?? []));
    },

    async trace() {
      const before = await byDevice();
      const batch = batches.next();
      step++;
      const feed = blueprint.feed(batch);
      const [{ records, losses }] = await Promise.all([world.trace(feed), twin?.run([blueprint.twinFeed(batch)])]);
      const slices = blueprint.strategy.slices(config, at(feed.rows, 0).length);
      return stepTrace({
        program: must(
          programs.find((p) => p.variant === feed.variant),
          feed.variant,
        ),
        records,
        hardware: config.hardware,
        step: batch.step,
        epoch: batch.epoch,
        samples: slices.map(([start, count], d) => [
          ...(feed.rows[at(rankOfDevice, d)] ?? new Int32Array(0)).subarray(start, start + count),
        ]),
        losses: record(batch, losses),
        initial: before,
      });
    },

    async weights() {
      const current = step;
      const isParameter = (b: (typeof buffers)[number]) => b.spec.category === 'parameter';
      const [own, twins] = await Promise.all([
        read(world, buffers.filter(isParameter)),
        twin ? read(twin, twinBuffers.filter(isParameter)) : undefined,
      ]);
      const mapOf = (list: typeof own) => new Map(list.map((v) => [v.buffer, v.data as Float32Array]));
      return {
        step: current,
        devices: rankOfDevice.map((_, d) => mapOf(own.filter((v) => v.device === d))),
        twin: twins && mapOf(twins),
      };
    },

    reset,

    async checkpoint() {
      const current = step;
      const [values, twins] = await Promise.all([read(world, buffers), twin ? read(twin, twinBuffers) : []]);
      return { step: current, values, twin: twins };
    },

    async restore(checkpoint) {
      await reset();
      await world.write(checkpoint.values);
      await twin?.write(checkpoint.twin);
      for (let s = 0; s < checkpoint.step; s++) batches.next();
      step = checkpoint.step;
    },

    async corrupt(event, add) {
      const all = at(programs, 0).lanes.flatMap((lane) => lane.instructions);
      const transfer = all.find((i) => i.id === event && (i.kind === 'send' || i.kind === 'recv'));
      await world.corrupt(
        transfer?.kind === 'send' || transfer?.kind === 'recv' ? { tag: transfer.tag, add } : undefined,
      );
    },
    lose: () => world.lose(),
    async dispose() {
      await world.dispose();
      await twin?.dispose();
    },
  };
}
