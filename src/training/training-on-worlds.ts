/**
 * A training on open worlds: every step runs in the mode's world and in the reference at the same time. See
 * run-state.ts for the run's position and values, failures/feeds-with-faults.ts for the input of a step, loss-record.ts
 * for its losses, step-tracer.ts for its trace.
 */
import { at } from '../base/invariant';
import type { Program, Recv, Send } from '../program/instruction';
import type { Notice } from '../protocol/notice';
import type { DeviceReport } from '../protocol/session-info';
import type { LossRecord } from '../protocol/trace';
import type { World } from '../runtime/launch/world';
import type { Blueprint } from './blueprint';
import { createBusyClock } from './busy-clock';
import { createConstructorStep } from './constructor-step';
import type { FaultPlan } from './failures/fault-plan';
import { feedsWithFaults } from './failures/feeds-with-faults';
import type { FlightLog } from './failures/flight-log';
import { inPrograms } from './in-programs';
import { lossRecorder } from './loss-record';
import { createRunState } from './run-state';
import { scalerWatch } from './scaler-watch';
import { createStepTracer } from './step-tracer';
import type { Training } from './training';

interface Given {
  readonly notices: readonly Notice[];
  readonly faults: FaultPlan;
  readonly flight: FlightLog;
  readonly traceConstruct: boolean;
}

export function trainingOn(
  blueprint: Blueprint,
  world: World,
  reference: World | undefined,
  { notices, faults, flight, traceConstruct }: Given,
): Training {
  const state = createRunState(blueprint, world, reference);
  const { accumulate, gradScaler } = blueprint.config;
  const scaler = gradScaler.enabled ? scalerWatch(world, reference) : undefined;
  const feeds = feedsWithFaults(blueprint, faults, () => scaler?.skipped ?? 0);
  const tracer = createStepTracer(blueprint, state.values);
  const busy = createBusyClock();
  const recorder = lossRecorder(blueprint);
  const construct = createConstructorStep(blueprint, world, tracer, traceConstruct);
  let corrupted = false;

  /** The start of the script: DDP's constructor, and the checkpoint to resume from. */
  const reset = async () => {
    await state.toStart();
    await construct.run();
    if (blueprint.resume) await state.resume(blueprint.resume.checkpoint);
    await scaler?.read();
  };

  /** Runs micro-batches that need nothing from the host in between. */
  const runOn = async (count: number): Promise<readonly LossRecord[]> => {
    const taken = state.take(count);
    // A corrupted message is named by a Program of one micro-batch, too.
    const given = feeds.all(taken, corrupted);
    const span = flight.enqueued(given.map(({ program, microBatch: first = 0 }) => ({ microBatch: first, program })));
    const [losses] = await busy.during(
      Promise.all([
        world.run(given),
        reference?.run(
          inPrograms(taken, blueprint.referenceTogetherAt).map((group) =>
            blueprint.referenceFeed(group, scaler?.referenceSkipped),
          ),
        ),
      ]),
    );
    flight.completed(span);
    return scaled(recorder.all(taken, given, losses));
  };

  /** Adds the GradScaler's record if the last micro-batch ends a step. */
  const scaled = async (records: readonly LossRecord[]): Promise<readonly LossRecord[]> => {
    const last = records.at(-1);
    if (!scaler || !last || (last.microBatch + 1) % accumulate !== 0) return records;
    return [...records.slice(0, -1), { ...last, scaler: await scaler.read() }];
  };

  return {
    blueprint,
    device: deviceReport(world, blueprint.config.adapters !== undefined),
    notices,
    get microBatch() {
      return state.microBatch;
    },
    get microBatchesLeft() {
      return blueprint.stop ? Math.max(0, blueprint.stop.microBatch - state.microBatch) : Number.POSITIVE_INFINITY;
    },
    get busySinceMs() {
      return busy.sinceMs;
    },
    get construct() {
      return construct.trace;
    },
    lost: Promise.race([world.lost, ...(reference ? [reference.lost] : [])]),

    async run(count) {
      let left = Math.min(count, state.left());
      const records: LossRecord[] = [];
      // With a GradScaler, each step decides the scalars of the next step.
      for (let part = left; left > 0; left -= part) {
        part = scaler ? Math.min(left, accumulate - (state.microBatch % accumulate)) : left;
        records.push(...(await runOn(part)));
      }
      return records;
    },

    async trace() {
      state.left();
      const before = await tracer.values();
      const batch = at(state.take(1), 0);
      const feed = feeds.one(batch);
      const span = flight.enqueued([{ microBatch: batch.microBatch, program: feed.program }]);
      const [{ records, losses }] = await busy.during(
        Promise.all([world.trace(feed), reference?.run([blueprint.referenceFeed([batch], scaler?.referenceSkipped)])]),
      );
      flight.completed(span, records);
      const [record = recorder.one(batch, losses)] = await scaled([recorder.one(batch, losses)]);
      return tracer.ofBatch(batch, feed.program, record, { before, records });
    },

    weights: () => state.weights(),
    reset,
    checkpoint: () => state.checkpoint(),
    async restore(checkpoint) {
      await reset();
      await state.restore(checkpoint);
      await scaler?.read();
    },
    async corrupt(event, add) {
      const transfer = transferIn(at(blueprint.programs, 0), event);
      corrupted = transfer !== undefined;
      await world.corrupt(transfer && { tag: transfer.tag, add });
    },
    positions: (limitMs) => world.positions(limitMs),
    kill: (rank) => world.kill(rank),
    lose: () => world.lose(),
    async dispose() {
      await Promise.all([world.dispose(), reference?.dispose()]);
    },
  };
}

/** The send or receive with this event id; undefined if the event is neither. */
function transferIn({ lanes }: Program, event: number | undefined): Send | Recv | undefined {
  const found = lanes.flatMap((lane) => lane.instructions).find((i) => i.id === event);
  return found?.kind === 'send' || found?.kind === 'recv' ? found : undefined;
}

/** If ranks have different adapters, the names of all adapters and which rank uses which. */
function deviceReport({ info, devices }: World, mixed: boolean): DeviceReport {
  if (!mixed) return { ...info };
  const names = new Set(devices.map(({ adapter }) => adapter));
  return { ...info, adapter: [...names].join(', '), software: devices.every((d) => d.software), adapters: devices };
}
