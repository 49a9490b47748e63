/**
 * One run in progress: a world with the mode's Programs, the single-device reference beside it, the order of batches
 * and where it stands. It runs micro-batches, traces one, reads the weights, resets, checkpoints and restores. It has
 * no pace, no page and no policy; those are in player.ts.
 */
import { asLockstepError, type LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import type { BatchSource, StepBatch } from '../data/batch-source';
import { rankDevices } from '../launch/rank-devices';
import type { Program } from '../program/instruction';
import { programOf } from '../program/program-of';
import { stepOf } from '../protocol/micro-batches';
import type { DeviceReport, Notice } from '../protocol/session';
import { CONSTRUCT, programKey, RESUME } from '../protocol/step-kind';
import {
  CAPTURE_LIMIT,
  type Captured,
  type LossRecord,
  type MemoryCategory,
  type Rank,
  type StepTrace,
} from '../protocol/trace';
import type { Loss } from '../runtime/executor';
import { emptyFeed } from '../runtime/launch/empty-feed';
import type { Fault, StandsAt, StepFeed, World } from '../runtime/launch/world';
import { machineOf } from '../simulator/machine';
import type { Blueprint } from './blueprint';
import type { Checkpoint } from './checkpoint/checkpoint';
import type { DeviceKeeper } from './device-keeper';
import { FaultPlan } from './failures/fault-plan';
import { FlightLog } from './failures/flight-log';
import { inPrograms } from './in-programs';
import { openWorld, type WorldRequest } from './open-world';
import { stepTrace } from './step-trace';
import { type BufferValue, createWorldState, startOn, statefulBuffers } from './world-state';

/** DDP's constructor takes nothing from the host. */
const CONSTRUCTS = emptyFeed(CONSTRUCT);

/** What a state_dict holds. */
const KEPT: readonly MemoryCategory[] = ['parameter', 'buffer'];

/**
 * What every device holds of parameters and buffers, and those of the reference, at one place of the run.
 * `Blueprint.shards` says what piece of the whole that is; weights/merged-weights.ts puts the wholes together.
 */
export interface Weights {
  /** The next one to run. */
  readonly microBatch: number;
  readonly devices: readonly ReadonlyMap<string, Float32Array>[];
  readonly reference: ReadonlyMap<string, Float32Array> | undefined;
}

export interface Training {
  readonly blueprint: Blueprint;
  readonly device: DeviceReport;
  readonly notices: readonly Notice[];
  /** The next one to run. */
  readonly microBatch: number;
  /** What DDP's constructor sent; undefined where it was not traced. */
  readonly construct: StepTrace | undefined;
  /** Those that can run before the script ends on its own (stops.ts); mostly there is no end. */
  readonly microBatchesLeft: number;
  /**
   * Since when a call of run() or trace() has been under way without any of them coming to its end; undefined: none is.
   */
  readonly busySinceMs: number | undefined;
  /** As World.lost. */
  readonly lost: Promise<LockstepError>;
  run(microBatches: number): Promise<readonly LossRecord[]>;
  /** Runs one micro-batch. */
  trace(): Promise<StepTrace>;
  weights(): Promise<Weights>;
  reset(): Promise<void>;
  checkpoint(): Promise<Checkpoint>;
  restore(checkpoint: Checkpoint): Promise<void>;
  corrupt(event: number | undefined, add: number): Promise<void>;
  /** Where the devices stand in the step that is under way. */
  positions(): Promise<readonly StandsAt[]>;
  /** Ends a rank now, as a crash would. */
  kill(rank: Rank): Promise<void>;
  lose(): Promise<void>;
  dispose(): Promise<void>;
}

export interface TrainingOptions {
  readonly keeper: DeviceKeeper;
  readonly gpu: GPU | undefined;
  /** Faults injected in steps to come. */
  readonly faults?: FaultPlan | undefined;
  /** The first time that DDP's constructor runs is traced, for the page. */
  readonly traceConstruct?: boolean | undefined;
  /** Where it is noted what ran. */
  readonly flight?: FlightLog | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Devices that may be lost while a training is set up on them, before that is the end of it. */
const MOST_DEVICES = 3;

/** On another device where one is lost while it is being set up. */
export async function createTraining(blueprint: Blueprint, options: TrainingOptions): Promise<Training> {
  for (let lost = 1; ; lost++) {
    try {
      return await openTraining(blueprint, options);
    } catch (error) {
      if (asLockstepError(error).code !== 'device-lost' || lost === MOST_DEVICES) throw error;
      options.keeper.forget();
    }
  }
}

async function openTraining(
  blueprint: Blueprint,
  {
    keeper,
    gpu,
    faults = new FaultPlan(blueprint.config),
    flight = new FlightLog(),
    traceConstruct = false,
    onProgress,
  }: TrainingOptions,
): Promise<Training> {
  const { config, mode, programs, reference: referencePrograms, table, rankOfDevice } = blueprint;
  const choice = await keeper.choose(config.device);
  const adapters = config.adapters && rankDevices(config, mode).map(({ adapter }) => adapter);
  const group = { timeoutMs: 1000 * config.timeoutS, slow: config.stragglers, ...(adapters ? { adapters } : {}) };
  const shared = { table, choice, gpu, group, onProgress };
  const worlds: World[] = [];
  const open = async (request: Pick<WorldRequest, 'programs' | 'placement' | 'rankOfDevice'>): Promise<World> => {
    const opened = await openWorld({ ...shared, ...request });
    worlds.push(opened);
    return opened;
  };
  try {
    const world = await open({ programs, placement: config.placement, rankOfDevice });
    const reference =
      referencePrograms.length > 0
        ? await open({ programs: referencePrograms, placement: 'shared', rankOfDevice: [0] })
        : undefined;
    const notices = adapters ? [] : choice.notices;
    const training = trainingOn(blueprint, world, reference, { notices, faults, flight, traceConstruct });
    await training.reset();
    return training;
  } catch (error) {
    await Promise.allSettled(worlds.map((opened) => opened.dispose()));
    throw error;
  }
}

/** Where ranks have adapters of their own, the names of all, and which is whose. */
function deviceReport({ info, devices }: World, mixed: boolean): DeviceReport {
  if (!mixed) return { ...info };
  const names = new Set(devices.map(({ adapter }) => adapter));
  return { ...info, adapter: [...names].join(', '), software: devices.every((d) => d.software), adapters: devices };
}

function trainingOn(
  blueprint: Blueprint,
  world: World,
  reference: World | undefined,
  {
    notices,
    faults,
    flight,
    traceConstruct,
  }: {
    readonly notices: readonly Notice[];
    readonly faults: FaultPlan;
    readonly flight: FlightLog;
    readonly traceConstruct: boolean;
  },
): Training {
  const { config, programs, reference: referencePrograms, mesh, rankOfDevice } = blueprint;
  const start = [...blueprint.parameters, ...blueprint.buffers];
  const state = createWorldState(
    world,
    programs,
    blueprint.shards,
    start,
    (device) => blueprint.parametersOfRanks[rankOfDevice[device] ?? 0] ?? [],
  );
  const referenceState = reference && createWorldState(reference, referencePrograms, blueprint.referenceShards, start);
  let batches: BatchSource = blueprint.batches();
  let microBatch = 0;
  let construct: StepTrace | undefined;
  let corrupted = false;

  const reset = async () => {
    await state.writeStart();
    await referenceState?.writeStart();
    batches = blueprint.batches();
    microBatch = 0;
    const constructs = programs.find(({ kind }) => kind.type === 'construct');
    if (constructs && traceConstruct && !construct) construct = await tracedConstructor(constructs);
    else if (constructs) await world.run([CONSTRUCTS]);
    if (blueprint.resume) await load(blueprint.resume.checkpoint);
  };
  /** From the files of a checkpoint: each rank has read them, or rank 0 has and tells the others. */
  const load = async (from: Checkpoint): Promise<void> => {
    const byRank0 = programs.some(({ kind }) => kind.type === 'resume');
    await state.write(byRank0 ? from.values.filter(({ device }) => rankOfDevice[device] === 0) : from.values);
    if (byRank0) await world.run([emptyFeed(RESUME)]);
    await referenceState?.write(from.reference);
    batches = blueprint.batches(from.batches);
    microBatch = from.microBatch;
  };
  /** The fault that is planned for that micro-batch. */
  const faultAt = (batch: StepBatch): Fault | undefined =>
    faults.take(batch.microBatch, programOf(programs, programKey(blueprint.kindOf(batch))));
  const feedOf = (batch: StepBatch, fault: Fault | undefined): StepFeed => ({
    ...blueprint.feed([batch]),
    microBatch: batch.microBatch,
    ...(fault ? { fault } : {}),
  });
  /** A fault and a falsified message name what a Program of one micro-batch does: then each runs by itself. */
  const feedsOf = (group: readonly StepBatch[]): readonly StepFeed[] => {
    const struck = group.map(faultAt);
    if (group.length === 1 || corrupted || struck.some((fault) => fault))
      return group.map((batch, i) => feedOf(batch, struck[i]));
    return [{ ...blueprint.feed(group), microBatch: at(group, 0).microBatch }];
  };
  /** Parameters and gradients before a traced step, as the trace keeps them. */
  const initial = async (): Promise<StepTrace['initial']> => {
    const values = await state.read(['parameter', 'gradient']);
    const capture = ({ buffer, data }: BufferValue): Captured => ({
      buffer,
      offset: 0,
      values: Float32Array.from(data.subarray(0, CAPTURE_LIMIT)),
    });
    return rankOfDevice.map((_, device) => ({
      device,
      captured: values.filter((v) => v.device === device).map(capture),
    }));
  };

  let underWay = 0;
  let busySinceMs: number | undefined;
  const busy = async <T>(work: Promise<T>): Promise<T> => {
    underWay++;
    busySinceMs ??= performance.now();
    try {
      return await work;
    } finally {
      underWay--;
      busySinceMs = underWay > 0 ? performance.now() : undefined;
    }
  };
  /** It stands before the first step of the run and has no rows and no loss. */
  const tracedConstructor = async (program: Program): Promise<StepTrace> => {
    const before = await initial();
    const { records } = await world.trace(CONSTRUCTS);
    const first = { microBatch: (blueprint.resume?.checkpoint.microBatch ?? 0) - 1, step: 0, epoch: 0 };
    return stepTrace({
      ...first,
      program,
      records,
      hardware: machineOf(config),
      stragglers: config.stragglers,
      accumulate: config.accumulate,
      samples: rankOfDevice.map(() => []),
      losses: { ...first, perRank: [], loss: Number.NaN },
      initial: before,
    });
  };

  /** Micro-batches that there are before the script ends. */
  const left = (): number => {
    const { stop } = blueprint;
    if (stop && microBatch >= stop.microBatch) throw stop.error;
    return (stop?.microBatch ?? Number.POSITIVE_INFINITY) - microBatch;
  };

  return {
    blueprint,
    device: deviceReport(world, config.adapters !== undefined),
    notices,
    get microBatch() {
      return microBatch;
    },
    get microBatchesLeft() {
      return blueprint.stop ? Math.max(0, blueprint.stop.microBatch - microBatch) : Number.POSITIVE_INFINITY;
    },
    get busySinceMs() {
      return busySinceMs;
    },
    get construct() {
      return construct;
    },
    lost: Promise.race([world.lost, ...(reference ? [reference.lost] : [])]),

    async run(count) {
      const taken = Array.from({ length: Math.min(count, left()) }, () => batches.next());
      microBatch += taken.length;
      const feeds = inPrograms(taken, blueprint.togetherAt).flatMap(feedsOf);
      const span = flight.enqueued(feeds.map(({ program, microBatch: first = 0 }) => ({ microBatch: first, program })));
      const [losses] = await busy(
        Promise.all([
          world.run(feeds),
          reference?.run(inPrograms(taken, blueprint.referenceTogetherAt).map(blueprint.referenceFeed)),
        ]),
      );
      flight.completed(span);
      const each = feeds.flatMap(({ microBatches }, i) =>
        microBatches.map((_, m) => (losses[i] ?? []).filter((loss) => loss.microBatch === m)),
      );
      return taken.map((batch, i) => lossRecord(blueprint, batch, each[i] ?? []));
    },

    async trace() {
      left();
      const before = await initial();
      const batch = batches.next();
      microBatch++;
      const feed = feedOf(batch, faultAt(batch));
      const span = flight.enqueued([{ microBatch: batch.microBatch, program: feed.program }]);
      const [{ records, losses }] = await busy(
        Promise.all([world.trace(feed), reference?.run([blueprint.referenceFeed([batch])])]),
      );
      flight.completed(span, records);
      const slices = blueprint.mode.rowsOfDevice(
        config,
        batch.rows.map((own) => own.length),
      );
      return stepTrace({
        program: programOf(programs, feed.program),
        records,
        hardware: machineOf(config),
        stragglers: config.stragglers,
        microBatch: batch.microBatch,
        step: stepOf(batch.microBatch, config),
        accumulate: config.accumulate,
        epoch: batch.epoch,
        samples: slices.map(([start, count], d) => [
          ...at(batch.rows, mesh.dataIndex(at(rankOfDevice, d))).subarray(start, start + count),
        ]),
        losses: lossRecord(blueprint, batch, losses),
        initial: before,
      });
    },

    async weights() {
      const current = microBatch;
      const [own, referenceValues] = await Promise.all([state.read(KEPT), referenceState?.read(KEPT)]);
      return {
        microBatch: current,
        devices: rankOfDevice.map((_, d) => byName(own.filter((v) => v.device === d))),
        reference: referenceValues && byName(referenceValues),
      };
    },

    reset,

    async checkpoint() {
      const current = microBatch;
      const place = batches.state();
      const [values, referenceValues] = await Promise.all([state.read(), referenceState?.read() ?? []]);
      return { microBatch: current, values, reference: referenceValues, batches: place };
    },

    async restore(checkpoint) {
      await reset();
      await state.write(checkpoint.values);
      await referenceState?.write(checkpoint.reference);
      batches = blueprint.batches(checkpoint.batches);
      microBatch = checkpoint.microBatch;
    },

    async corrupt(event, add) {
      const all = at(programs, 0).lanes.flatMap((lane) => lane.instructions);
      const transfer = all.find((i) => i.id === event);
      const isTransfer = transfer?.kind === 'send' || transfer?.kind === 'recv';
      corrupted = isTransfer;
      await world.corrupt(isTransfer ? { tag: transfer.tag, add } : undefined);
    },
    positions: () => world.positions(),
    kill: (rank) => world.kill(rank),
    lose: () => world.lose(),
    async dispose() {
      await Promise.all([world.dispose(), reference?.dispose()]);
    },
  };
}

/** The weights in a checkpoint: what a run that cannot go on leaves behind. */
export function weightsIn(checkpoint: Checkpoint, { parameters, buffers, rankOfDevice }: Blueprint): Weights {
  const kept = new Set([...parameters, ...buffers].map(({ name }) => name));
  const of = (values: readonly BufferValue[]) => byName(values.filter(({ buffer }) => kept.has(buffer)));
  return {
    microBatch: checkpoint.microBatch,
    devices: rankOfDevice.map((_, d) => of(checkpoint.values.filter(({ device }) => device === d))),
    reference: checkpoint.reference.length > 0 ? of(checkpoint.reference) : undefined,
  };
}

/** Those that a run begins with: what is left of one that failed before its first checkpoint. */
export function startWeights({ programs, shards, parameters, buffers, rankOfDevice, resume }: Blueprint): Weights {
  const initial = startOn(shards, [...parameters, ...buffers]);
  const held = statefulBuffers(programs);
  const of = (device: number) =>
    held.flatMap(({ device: d, spec }) => {
      const data = d === device ? initial(device, spec.name) : undefined;
      return data ? [[spec.name, Float32Array.from(data)] as const] : [];
    });
  return {
    microBatch: resume?.checkpoint.microBatch ?? 0,
    devices: rankOfDevice.map((_, d) => new Map(of(d))),
    reference: undefined,
  };
}

/** A rank without a batch has no loss: NaN stands in its place. */
function lossRecord(
  { config, mode, mesh }: Blueprint,
  { microBatch, epoch, rows }: StepBatch,
  all: readonly Loss[],
): LossRecord {
  const rankOf = ({ device }: Loss): Rank => at(mesh.rankOfDevice, device);
  const losses = all.filter((loss) => mesh.lossRanks.includes(rankOf(loss)));
  const place = { step: stepOf(microBatch, config), microBatch, epoch };
  if (rows.some((own) => own.length === 0)) {
    const perRank = mesh.lossRanks.map((rank) => losses.find((loss) => rankOf(loss) === rank)?.value ?? Number.NaN);
    const present = perRank.filter((_, i) => at(rows, mesh.dataIndex(at(mesh.lossRanks, i))).length > 0);
    return { ...place, perRank, loss: present.reduce((a, b) => a + b, 0) / present.length };
  }
  const perRank = losses.map((l) => l.value);
  const shares = mode.lossShares?.(
    config,
    rows.map((own) => own.length),
  );
  if (shares)
    return { ...place, perRank, loss: losses.reduce((sum, { device, value }) => sum + at(shares, device) * value, 0) };
  return { ...place, perRank, loss: perRank.reduce((a, b) => a + b, 0) / Math.max(1, perRank.length) };
}

const byName = (values: readonly BufferValue[]): ReadonlyMap<string, Float32Array> =>
  new Map(values.map(({ buffer, data }) => [buffer, Float32Array.from(data)]));
