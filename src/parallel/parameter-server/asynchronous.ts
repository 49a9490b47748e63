/**
 * Asynchronous workers in a fixed order, so that a run can be repeated: within a step of the run worker 1's gradient
 * is applied first, then worker 2's, each with its own step of the optimiser. The gradient of update u is computed
 * with the parameters after update u - staleness. With staleness 0 a worker pulls right before its turn, which is SGD
 * over the workers' batches one after the other. With a staleness of W - 1 or more, all W workers compute side by side
 * with parameters that they pulled earlier; the worker keeps copies of parameters older than a step. A worker without
 * rows of a short batch takes its turn without a gradient, and pulls for later steps.
 */

import { at } from '../../base/invariant';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import { CONSTRUCT } from '../../protocol/step-kind';
import { elements } from '../../tensor/shape';
import { declareState } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import type { ModeInput } from '../mode-input';
import { stageGraph } from '../stage-graph';
import { declareServer, emitWorker, keptNames, pull, push, type Worker } from './server-emitters';
import { serverRows } from './server-rows';

/** When a worker pulls: after `applied` updates of a step, for its turn that many steps later. */
export interface PullTime {
  readonly applied: number;
  readonly stepsEarlier: number;
}

/** The pull time of the worker with the `turn`-th of `workers` turns in a step. */
export function pullTime(turn: number, workers: number, staleness: number): PullTime {
  const applied = (((turn - staleness) % workers) + workers) % workers;
  return { applied, stepsEarlier: (staleness - turn + applied) / workers };
}

/** Copy `age` of a parameter on a worker: the worker uses it after `age` further steps. */
const copyName = (name: string, age: number): string => (age === 0 ? name : `${name}@${age}`);

function declareCopies({ lane }: Pick<Worker, 'lane'>, names: readonly string[], count: number): void {
  for (const name of names) {
    const { shape, dtype, category } = lane.spec(name);
    for (let age = 1; age <= count; age++)
      lane.buffer({ name: copyName(name, age), shape, dtype, category, persistent: true });
  }
}

export function asynchronousStep(builder: ProgramBuilder, input: ModeInput, workers: readonly Worker[]): void {
  const { config } = input;
  const { staleness } = config.parameterServer;
  const server = builder.lane(0);
  const names = keptNames(at(workers, 0).stage);
  const turns = workers.map((worker) => ({
    worker,
    time: pullTime(worker.lane.device - 1, config.worldSize - 1, staleness),
  }));
  // Workers that already have their parameters begin at once.
  for (const { worker, time } of turns) {
    if (time.stepsEarlier === 0) continue;
    emitWorker(worker);
    declareCopies(worker, names, time.stepsEarlier);
  }
  const idle = idleTurns(builder, input, workers);
  for (const { lane, time } of idle) {
    declareState(lane, at(workers, 0).stage);
    declareCopies({ lane }, names, time.stepsEarlier);
  }
  const ahead = [...turns.map(({ worker: { lane }, time }) => ({ lane, time })), ...idle].filter(
    ({ time }) => time.stepsEarlier > 0,
  );
  for (let applied = 0; applied < config.worldSize - 1; applied++) {
    for (const { worker, time } of turns)
      if (time.applied === applied && time.stepsEarlier === 0) emitWorker(worker, () => pull(builder, worker, names));
    for (const { lane, time } of ahead)
      if (time.applied === applied) pull(builder, { lane }, names, (name) => copyName(name, time.stepsEarlier));
    const turn = turns.find(({ worker }) => worker.lane.device - 1 === applied);
    if (!turn) continue;
    server.handOver('compute', 'comm', { phase: 'reduce', anchor: 'push' });
    push(builder, turn.worker, { sum: false, buffers: true });
    server.handOver('comm', 'compute', { phase: 'step', anchor: 'step' });
    emitOptimizer(server, input, turn.worker.stage.parameters, applied);
  }
  for (const { lane, time } of ahead) advance({ lane }, names, time.stepsEarlier);
}

/** Workers that have no rows of this batch, but have rows of a full one, with parameters that they pulled earlier. */
function idleTurns(
  builder: ProgramBuilder,
  { config }: ModeInput,
  workers: readonly Worker[],
): readonly { readonly lane: LaneBuilder; readonly time: PullTime }[] {
  return serverRows(config, [config.batchSize]).flatMap(([, count], device) => {
    if (count === 0 || workers.some(({ lane }) => lane.device === device)) return [];
    const time = pullTime(device - 1, config.worldSize - 1, config.parameterServer.staleness);
    return time.stepsEarlier === 0 ? [] : [{ lane: builder.lane(device), time }];
  });
}

/** Each waiting copy moves one step closer to its use. */
function advance({ lane }: Pick<Worker, 'lane'>, names: readonly string[], copies: number): void {
  const where: Where = { phase: 'replicate', anchor: 'pull' };
  lane.handOver('comm', 'compute', where);
  for (let age = 0; age < copies; age++) {
    for (const name of names) {
      const attrs = { from: 0, to: 0, length: elements(lane.spec(name).shape) };
      lane.compute('ops/copy', [copyName(name, age + 1)], [copyName(name, age)], attrs, where);
    }
  }
}

/** Before step 0, fills the worker's copies with version 0, with which it computes at first. */
export function initialCopies(input: ModeInput): Program | undefined {
  const { worldSize, parameterServer } = input.config;
  if (worldSize === 1 || parameterServer.synchronous) return undefined;
  const builder = new ProgramBuilder(initDeviceMesh({}, { devicesPerRank: worldSize }), input.ops);
  const stage = stageGraph(input, { rows: 2, withLoss: true });
  const names = keptNames(stage);
  for (const lane of builder.lanes) declareServer(lane, stage);
  let pulled = false;
  for (const lane of builder.lanes.slice(1)) {
    const { stepsEarlier } = pullTime(lane.device - 1, worldSize - 1, parameterServer.staleness);
    if (stepsEarlier === 0) continue;
    pulled = true;
    declareCopies({ lane }, names, stepsEarlier);
    for (let age = 0; age <= stepsEarlier; age++) pull(builder, { lane }, names, (name) => copyName(name, age));
  }
  return pulled ? builder.finish('parameterServer', CONSTRUCT) : undefined;
}
