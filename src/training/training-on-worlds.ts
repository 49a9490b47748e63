/**
 * A training on worlds that are open: every step goes to the mode's world and to the reference at the same time. Where
 * the run is and what it holds is in run-state.ts, what a step is given in failures/feeds-with-faults.ts, what comes
 * back in loss-record.ts, what is traced in step-tracer.ts.
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

  /** As the script begins: DDP's constructor, and what is resumed from. */
  const reset = async () => {
    await state.toStart();
    await construct.run();
    if (blueprint.resume) await state.resume(blueprint.resume.checkpoint);
    await scaler?.read();
  };

  /** Of micro-batches that the devices take one after the other without the host. */
  const runOn = async (count: number): Promise<readonly LossRecord[]> => {
    const taken = state.take(count);
    // A falsified message, too, is one of a Program of one micro-batch.
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

  /** With what a GradScaler has done, where the last of them ends a step. */
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
      // What a GradScaler has done in a step decides the scalars of the next one.
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
    positions: () => world.positions(),
    kill: (rank) => world.kill(rank),
    lose: () => world.lose(),
    async dispose() {
      await Promise.all([world.dispose(), reference?.dispose()]);
    },
  };
}

/** The send or the receive with this event id; undefined where it is neither. */
function transferIn({ lanes }: Program, event: number | undefined): Send | Recv | undefined {
  const found = lanes.flatMap((lane) => lane.instructions).find((i) => i.id === event);
  return found?.kind === 'send' || found?.kind === 'recv' ? found : undefined;
}

/** Where ranks have adapters of their own, the names of all, and which is whose. */
function deviceReport({ info, devices }: World, mixed: boolean): DeviceReport {
  if (!mixed) return { ...info };
  const names = new Set(devices.map(({ adapter }) => adapter));
  return { ...info, adapter: [...names].join(', '), software: devices.every((d) => d.software), adapters: devices };
}
