/**
 * DDP over sub-groups of a larger mesh: two groups of 2 in a world of 4, each with its own batches and settings, in one
 * Program. It is accepted, its bits are those of two runs of 2, and trace, sentences, picture and flight recorder know
 * the groups apart.
 */
import { describe, expect, test } from 'vitest';
import { createTraceFacts } from '../../app/stage/facts-at';
import { planStage, stageScene } from '../../app/stage/scene';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { type DeviceMesh, initDeviceMesh } from '../../mesh/device-mesh';
import { makeStepScalars } from '../../optim/scalars';
import { replicas } from '../../parallel/axes/replicas';
import { emitDdpStep } from '../../parallel/ddp/ddp-step';
import type { ModeInput } from '../../parallel/mode-input';
import { PROGRAM_OPS } from '../../parallel/modes';
import { placeOn } from '../../parallel/step/place';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { verify } from '../../program/verifier';
import type { ConfigInput } from '../../protocol/config';
import type { Axis } from '../../protocol/mesh';
import { fullStep, programKey } from '../../protocol/step-kind';
import type { StepTrace } from '../../protocol/trace';
import { createCpuExecutor } from '../../runtime/cpu/cpu-executor';
import type { Executor, Feed } from '../../runtime/executor';
import { openTestSession } from '../../session/testing/open-session';
import { machineOf } from '../../simulator/machine';
import { elements } from '../../tensor/shape';
import { byMoments } from '../../trace/moments/moments';
import { sentenceOf } from '../../trace/sentence';
import { printTrace } from '../../trace/trace-text';
import { createBlueprint } from '../blueprint';
import { flightDump } from '../failures/flight-dump';
import { FlightLog } from '../failures/flight-log';
import { stepTrace } from '../step-trace';

const ROWS = 3;
const STEPS = 3;
const RUN: ConfigInput = { mode: 'ddp', device: 'cpu', batchSize: 12, compareSingle: false };
/** What the two groups do differs: other algorithms, and not the same number of buckets. */
const SETTINGS: readonly NonNullable<ConfigInput['ddp']>[] = [
  { algorithm: 'ring', bucketCapMb: 0.0003 },
  { algorithm: 'naive' },
];
const MESHES: readonly (readonly [title: string, mesh: DeviceMesh, axis: Axis])[] = [
  ['neighbours', initDeviceMesh({ dpReplicate: 2, dpShard: 2 }), 'dpShard'],
  ['every other rank', initDeviceMesh({ dpReplicate: 2, dpShard: 2 }), 'dpReplicate'],
];

const configOf = (worldSize: number, place: number) => parseConfig({ ...RUN, worldSize, ddp: at(SETTINGS, place) });
const blueprint = createBlueprint(configOf(4, 0), {});
const inputOf = (worldSize: number, place: number): ModeInput => ({
  ...blueprint.input,
  config: configOf(worldSize, place),
});

/** A whole DDP step for each line of the axis, in one Program. */
function programOver(mesh: DeviceMesh, axis: Axis): Program {
  const builder = new ProgramBuilder(mesh, PROGRAM_OPS);
  const kind = fullStep(Array.from({ length: mesh.dataIndices }, () => ROWS));
  for (const [place, group] of mesh.groups(axis).entries())
    emitDdpStep({ builder, stages: placeOn(builder, group), input: inputOf(4, place) }, kind);
  return builder.finish('ddp', kind);
}

function noise(length: number, seed: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin(12.9898 * (i + 1) + 78.233 * seed));
}

const scalarsOf = makeStepScalars(configOf(4, 0));

/** `batchOf`: which batch a data index of this Program is. */
function feedOf(program: Program, step: number, batchOf: (dataIndex: number) => number): Feed {
  return (load, device) => {
    if (load.source === 'scalars') return scalarsOf(step + 1, 0).subarray(load.start, load.start + load.count);
    const spec = must(
      at(program.lanes, device).buffers.find(({ name }) => name === load.buffer),
      load.buffer,
    );
    const seed = 100 * step + 10 * batchOf(load.dataIndex) + (load.source === 'inputs' ? 1 : 2);
    return noise(elements(spec.shape), seed);
  };
}

function executorOf(program: Program): Executor {
  const devices = program.lanes.map(({ device }) => device);
  const executor = createCpuExecutor({ programs: [program], devices, ops: PROGRAM_OPS });
  for (const { device, buffers } of program.lanes)
    for (const { name, shape, category } of buffers)
      if (category === 'parameter') executor.write(device, name, noise(elements(shape), name.length));
  return executor;
}

/** By device, its parameters after some steps, one after the other. */
async function weightsAfter(program: Program, batchOf: (dataIndex: number) => number): Promise<readonly number[][]> {
  const executor = executorOf(program);
  for (let step = 0; step < STEPS; step++)
    await executor.step(programKey(program.kind), feedOf(program, step, batchOf));
  const read = program.lanes.map(async ({ device, buffers }) => {
    const own = buffers.filter(({ category }) => category === 'parameter');
    const values = await executor.read(own.map(({ name }) => ({ device, buffer: name })));
    return values.flatMap((data) => [...data]);
  });
  return Promise.all(read);
}

describe.each(MESHES)('two groups of %s', (_, mesh, axis) => {
  const groups = mesh.groups(axis);
  const program = programOver(mesh, axis);

  test('are accepted, though they do not issue the same collectives', () => {
    expect(groups.map(({ ranks }) => ranks.length)).toEqual([2, 2]);
    expect(() => verify(program, PROGRAM_OPS)).not.toThrow();
    const [first, second] = groups.map(({ id }) => lastSeq(program, id));
    expect(first).toBeGreaterThan(must(second, 'a sequence'));
  });

  test('are to the bit what a run of 2 is on the same batches, and differ from each other', async () => {
    const all = await weightsAfter(program, (index) => index);
    for (const [place, { ranks }] of groups.entries()) {
      const batches = ranks.map((rank) => mesh.dataIndex(rank));
      const alone = replicas.compiler.compile(inputOf(2, place), fullStep([ROWS, ROWS]));
      const expected = await weightsAfter(alone, (index) => at(batches, index));
      expect(ranks.map((rank) => at(all, rank))).toEqual(expected);
      expect(at(expected, 0)).toEqual(at(expected, 1));
    }
    const [one, other] = groups.map(({ ranks }) => at(all, at(ranks, 0)));
    expect(one).not.toEqual(other);
  });

  test('have their names in the events, and their size in the sentences', async () => {
    const trace = await traced(program);
    const text = printTrace(trace);
    const name = axis === 'dpShard' ? 'dp_shard' : 'dp_replicate';
    for (const { ranks } of groups) expect(text).toContain(`allReduce reduce-scatter in ${name}[${ranks.join(', ')}]`);
    const sentences = trace.events.map((_event, index) => sentenceOf(trace, index, 'modelled')).join('\n');
    expect(sentences).toContain('divides them by 2 and copies them into the bucket');
    expect(sentences).toContain('now the sum of 2 of 2 ranks');
    expect(sentences).toContain(`the same on every rank of ${name}[${at(groups, 1).ranks.join(', ')}]`);
    expect(sentences).not.toMatch(/of 4 ranks|all 4 ranks|\(4\)/);
  });

  test('are drawn: every packet flies within its group', async () => {
    const session = await openTestSession({ ...RUN, worldSize: 4 });
    await session.close();
    const trace = byMoments(await traced(program));
    const facts = createTraceFacts(session.info, trace);
    const plan = planStage(session.info, trace, facts.packets, { width: 1100, height: 600 });
    const drawn = new Set<number>();
    for (const event of trace.events.keys())
      for (const { id } of stageScene(plan, facts.at({ event, fraction: 0.5 }, 'modelled')).packets)
        drawn.add(Number(id.split(' ')[1]));
    const sends = trace.events.flatMap((e, i) => (e.kind === 'send' && e.bytes > 0 ? [i] : []));
    expect([...drawn].sort((a, b) => a - b)).toEqual(sends);
    for (const index of drawn) {
      const { device, peer } = at(trace.events, index);
      expect(mesh.group(axis, device)).toBe(mesh.group(axis, must(peer, 'a peer')));
    }
  });

  test('are two process groups of the flight recorder, each with sequence numbers of its own', () => {
    const log = new FlightLog();
    const key = programKey(program.kind);
    log.completed(log.enqueued([0, 1].map((microBatch) => ({ microBatch, program: key }))));
    const dumps = flightDump(log, { ...blueprint, programs: [program] });
    for (const { rank, entries, pg_config, pg_status } of dumps) {
      const group = mesh.group(axis, rank);
      const calls = 2 * (lastSeq(program, group.id) + 1);
      expect(entries.map((e) => e.collective_seq_id)).toEqual(Array.from({ length: calls }, (_call, i) => i + 1));
      const [id, config] = at(Object.entries(pg_config), 0);
      expect(Object.keys(pg_config)).toHaveLength(1);
      expect(config.ranks).toBe(`[${group.ranks.join(', ')}]`);
      expect(config.desc).toBe(axis === 'dpShard' ? 'mesh_dp_shard' : 'mesh_dp_replicate');
      expect(pg_status[id]?.last_completed_collective).toBe(calls);
    }
    expect(new Set(dumps.map(({ entries }) => at(entries, 0).pg_id)).size).toBe(2);
  });
});

/** Of the last collective of the group in a step. */
function lastSeq({ lanes }: Program, group: number): number {
  const refs = lanes.flatMap(({ instructions }) =>
    instructions.flatMap((i) => ('collective' in i && i.collective?.group?.id === group ? [i.collective.seq] : [])),
  );
  return Math.max(...refs);
}

async function traced(program: Program): Promise<StepTrace> {
  const executor = executorOf(program);
  const records = await executor.trace(
    programKey(program.kind),
    feedOf(program, 0, (index) => index),
  );
  const place = { step: 0, microBatch: 0, epoch: 0 };
  return stepTrace({
    ...place,
    program,
    records,
    hardware: machineOf(configOf(4, 0)),
    stragglers: [],
    accumulate: 1,
    samples: program.lanes.map(() => []),
    losses: { ...place, perRank: [], loss: Number.NaN },
    initial: [],
  });
}
