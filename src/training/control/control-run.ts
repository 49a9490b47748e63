/**
 * The control for the difference from one device: two single-device runs, the second with initial weights that are one
 * unit in the last place larger. Neither is parallel, so any difference between them is rounding, amplified by
 * training. It depends only on the blueprint: it starts where the run started, whatever was reset, restarted or lost
 * since, and computes nothing until asked. control-keeper.ts owns it.
 */
import { at } from '../../base/invariant';
import type { Config } from '../../protocol/config';
import { firstOfStep, stepOf } from '../../protocol/micro-batches';
import type { DifferenceAt } from '../../protocol/snapshot';
import type { World } from '../../runtime/launch/world';
import { replicated, shardMap } from '../../sharding/shard-map';
import type { Blueprint } from '../blueprint';
import type { DeviceKeeper } from '../device-keeper';
import { openWorld } from '../open-world';
import { maxAbsDifference, worst } from '../weights/weight-differences';
import { type BufferValue, createWorldState } from '../world-state';
import { nextCompared } from './compared-steps';
import { oneUlpAway } from './one-ulp-away';
import { CONTROL, pairProgram, REFERENCE } from './pair-program';

export interface ControlRun {
  /** Number of steps taken. */
  readonly step: number;
  readonly differences: readonly DifferenceAt[];
  /** Runs towards `step` for about `ms` milliseconds, and at least one micro-batch. */
  advance(step: number, ms: number): Promise<void>;
  /** Weights of the reference, bit for bit those of the run's own reference. */
  reference(): Promise<ReadonlyMap<string, Float32Array>>;
  dispose(): Promise<void>;
}

/** The blueprint must have a reference (`compareSingle`). */
export async function openControlRun(
  blueprint: Blueprint,
  { keeper, gpu }: { readonly keeper: DeviceKeeper; readonly gpu: GPU | undefined },
): Promise<ControlRun> {
  const programs = blueprint.reference.map(pairProgram);
  const choice = await keeper.choose(blueprint.config.device);
  const { table } = blueprint;
  const world = await openWorld({ programs, table, placement: 'shared', rankOfDevice: [0, 0], choice, gpu });
  try {
    return await controlOn(world, blueprint, programs);
  } catch (error) {
    await world.dispose();
    throw error;
  }
}

async function controlOn(world: World, blueprint: Blueprint, programs: Blueprint['programs']): Promise<ControlRun> {
  const { parameters, buffers } = blueprint;
  const names = new Set(parameters.map(({ name }) => name));
  const shards = shardMap([...parameters, ...buffers], ({ shape }) => replicated(shape, [REFERENCE, CONTROL]));
  const { precision } = blueprint.config;
  const away = parameters.map((p) => ({ ...p, data: oneUlpAway(p.data, precision) }));
  const state = createWorldState(world, programs, shards, [...parameters, ...buffers], (device) =>
    device === CONTROL ? away : [],
  );
  await state.writeStart();
  const from = blueprint.resume?.checkpoint;
  if (from) await state.write(from.reference.flatMap((value) => bothOf(value, names, precision)));
  const { config } = blueprint;
  const start = from?.microBatch ?? 0;
  const batches = blueprint.batches(from?.batches);
  const differences: DifferenceAt[] = [];
  let microBatch = start;
  /** The first micro-batch after a compared step. */
  const nextDue = (): number => {
    const first = stepOf(start, config);
    return firstOfStep(first + nextCompared(stepOf(microBatch, config) - first), config);
  };
  let chunk = 1;

  const read = (device: number) => world.read(parameters.map(({ name }) => ({ device, buffer: name })));
  const compare = async () => {
    const [reference, control] = await Promise.all([read(REFERENCE), read(CONTROL)]);
    const value = worst(reference.map((values, i) => maxAbsDifference(values, at(control, i))));
    differences.push({ step: stepOf(microBatch, config), value });
  };

  return {
    get step() {
      return stepOf(microBatch, config);
    },
    differences,
    async advance(step, ms) {
      const until = firstOfStep(step, config);
      const deadline = performance.now() + ms;
      while (microBatch < until) {
        const due = nextDue();
        const since = performance.now();
        const count = Math.min(chunk, until - microBatch, due - microBatch);
        await world.run(Array.from({ length: count }, () => twice(blueprint.referenceFeed([batches.next()]))));
        microBatch += count;
        if (microBatch === due) await compare();
        const now = performance.now();
        const eachMs = Math.max(1e-3, (now - since) / count);
        chunk = Math.max(1, Math.min(2 * chunk, Math.floor(ms / 2 / eachMs)));
        if (now >= deadline && microBatch < until) return;
      }
      // If the run has stopped, both curves end at the same step.
      if (microBatch > start && differences.at(-1)?.step !== stepOf(microBatch, config)) await compare();
    },
    async reference() {
      const values = await read(REFERENCE);
      return new Map(parameters.map(({ name }, i) => [name, at(values, i)]));
    },
    dispose: () => world.dispose(),
  };
}

const bothOf = (
  { buffer, data }: BufferValue,
  parameters: ReadonlySet<string>,
  precision: Config['precision'],
): readonly BufferValue[] => {
  const moved = parameters.has(buffer) && data instanceof Float32Array ? oneUlpAway(data, precision) : data;
  return [
    { device: REFERENCE, buffer, data },
    { device: CONTROL, buffer, data: moved },
  ];
};

type Feed = ReturnType<Blueprint['referenceFeed']>;
const twice = (feed: Feed): Feed => ({
  ...feed,
  microBatches: feed.microBatches.map(({ rows, masks }) => ({
    rows,
    masks: masks.flatMap((mask) => [
      { ...mask, device: REFERENCE },
      { ...mask, device: CONTROL },
    ]),
  })),
});
