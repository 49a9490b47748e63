/**
 * The Program that is compiled of a schedule keeps its promises: on a machine where messages take no time and each
 * action its units, the simulator needs the makespan of the schedule’s own clock and closed form; each rank keeps
 * as many micro-batches as torch's order does, and the planner's memory grows as these do.
 */
import { expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { Instruction, Lane, Program } from '../../program/instruction';
import { planMemory } from '../../program/memory-planner';
import type { ScheduleName } from '../../protocol/pipeline';
import { mlpLayers } from '../../protocol/presets';
import { makeSchedule, stagesPerRankOf } from '../../schedules/schedule';
import { timingOf, USUAL_COSTS } from '../../schedules/timing';
import { HARDWARE, type Hardware } from '../../simulator/hardware';
import { simulate } from '../../simulator/simulate';
import { createBlueprint } from '../../training/blueprint';

const RANKS = 4;
const MICRO_BATCHES = 8;

function programOf(schedule: ScheduleName, microBatches = MICRO_BATCHES): Program {
  const stages = RANKS * stagesPerRankOf(schedule, undefined);
  const widths = Array.from({ length: stages + 1 }, () => 2);
  const config = parseConfig({
    mode: 'pipeline',
    mesh: { pp: RANKS },
    model: { layers: mlpLayers(widths, 'Tanh') },
    loss: { type: 'MSELoss' },
    data: { type: 'randomRegression', samples: 2 * microBatches, in: 2, out: 2 },
    batchSize: 2 * microBatches,
    pipeline: { schedule, microBatches },
    compareSingle: false,
  });
  return at(createBlueprint(config, {}).programs, 0);
}

/** One unit is a microsecond; all else is free. */
const FREE: Hardware = {
  ...HARDWARE.nvlink8,
  launchUs: 0,
  flopsPerSecond: 1e6,
  halfFlopsPerSecond: 1e6,
  memoryBytesPerSecond: Number.POSITIVE_INFINITY,
  hostBytesPerSecond: Number.POSITIVE_INFINITY,
  linkLatencyUs: 0,
  linkBytesPerSecond: Number.POSITIVE_INFINITY,
};

const keyOf = ({ action }: Instruction): string => (action ? `${action.kind}${action.stage} ${action.microBatch}` : '');

/** Each action takes its units, whatever its operators are: the first one of it has all of them. */
function inUnits(program: Program): Program {
  const timed = new Set<string>();
  const unit = (i: Instruction): Instruction => {
    if (i.kind !== 'compute') return { ...i, flops: 0 };
    const key = keyOf(i);
    const isFirst = i.action !== undefined && !timed.has(key);
    timed.add(key);
    if (!isFirst || !i.action) return { ...i, flops: 0, bytes: 0 };
    const { kind, stage } = i.action;
    // In stage 0 the I has nothing to do, and W does both halves.
    const units = kind === 'W' && stage === 0 ? USUAL_COSTS.I + USUAL_COSTS.W : USUAL_COSTS[kind];
    return { ...i, flops: units, bytes: 0 };
  };
  return { ...program, lanes: program.lanes.map((lane) => ({ ...lane, instructions: lane.instructions.map(unit) })) };
}

const makespan = (program: Program): number =>
  [...simulate(inUnits(program), FREE).values()].reduce((end, { startUs, durUs }) => Math.max(end, startUs + durUs), 0);

/** Most micro-batches, over the stages of a rank, whose forward has run and whose weight gradients have not. */
function peakLive({ instructions }: Lane): number {
  const live = new Set<string>();
  const ended = new Map<string, number>();
  instructions.forEach((i, n) => {
    if (i.kind === 'compute' && (i.action?.kind === 'B' || i.action?.kind === 'W'))
      ended.set(`${i.action.stage} ${i.action.microBatch}`, n);
  });
  let peak = 0;
  instructions.forEach((i, n) => {
    const { action } = i;
    if (!action || i.kind !== 'compute') return;
    const key = `${action.stage} ${action.microBatch}`;
    if (action.kind === 'F') live.add(key);
    peak = Math.max(peak, live.size);
    if (ended.get(key) === n) live.delete(key);
  });
  return peak;
}

test.each<[ScheduleName, number]>([
  ['GPipe', 33],
  ['1F1B', 33],
  ['LoopedBFS', 57],
  ['Interleaved1F1B', 57],
  ['InterleavedZeroBubble', 51],
  ['ZBVZeroBubble', 51],
  ['DualPipeV', 51],
])('%s: four ranks and eight micro-batches take %i units', (name, units) => {
  const schedule = makeSchedule({
    name,
    ranks: RANKS,
    stagesPerRank: stagesPerRankOf(name, undefined),
    microBatches: MICRO_BATCHES,
  });
  const timing = timingOf(schedule);
  const program = programOf(name);
  expect(timing.makespan).toBe(units);
  expect(makespan(program)).toBeCloseTo(units, 9);
  expect(program.lanes.map(peakLive)).toEqual(timing.peakLive);
});

/** Bytes of what lives within a step, by rank. */
function perStepBytes(name: ScheduleName, microBatches: number): readonly number[] {
  const program = programOf(name, microBatches);
  const plans = planMemory([program]);
  return program.lanes.map(({ device }) =>
    must(plans.get(device), 'plan')
      .regions.filter(({ key }) => key.startsWith('slot:'))
      .reduce((sum, { bytes }) => sum + bytes, 0),
  );
}

test('what the planner gives a step: with 1F1B the same for any number of micro-batches, with GPipe as many times', () => {
  const few = perStepBytes('1F1B', 8);
  expect(perStepBytes('1F1B', 16)).toEqual(few);
  const [once, twice] = [perStepBytes('GPipe', 8), perStepBytes('GPipe', 16)];
  twice.forEach((bytes, rank) => {
    // Eight micro-batches more, each with what backward needs of its stage.
    expect(bytes - at(once, rank)).toBeGreaterThan(0.8 * at(once, rank));
  });
  // The first rank keeps four of 1F1B's, the last one one; GPipe keeps all eight.
  for (const [rank, bytes] of few.entries()) expect(bytes).toBeLessThan(at(once, rank));
  expect(at(few, 0)).toBeGreaterThan(at(few, 3));
});
