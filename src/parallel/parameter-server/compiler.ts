/** The part of the mode that is loaded when a run needs it. Only mode.ts imports this file. */
import { at } from '../../base/invariant';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { type MicroBatchKind, stepsAfter, type TrainingKind } from '../../protocol/step-kind';
import { emitOptimizer } from '../emit-optimizer';
import { type ModeFacets, ONE_PROCESS } from '../facets/mode-facets';
import type { ModeInput } from '../mode-input';
import { meshOfOneProcess, modelOnFirst } from '../one-process';
import { compileSingle } from '../single/compile';
import { halvesOf, stageGraph } from '../stage-graph';
import { asynchronousStep, initialCopies } from './asynchronous';
import { serverForm } from './closed-form';
import { serverNotices } from './notices';
import { declareServer, emitWorker, keptNames, pull, push, type Worker, weighted } from './server-emitters';
import { serverRows } from './server-rows';

export const facets: ModeFacets = {
  ...ONE_PROCESS,
  place: { ...modelOnFirst, rowsOfDevice: serverRows },
  steps: {
    optimizerSteps: (config, rows) =>
      config.parameterServer.synchronous ? 1 : serverRows(config, rows).filter(([, count]) => count > 0).length,
    // The workers step together: the loss of each is weighted by its share of the samples, as its gradient is.
    lossShares(config, rows) {
      if (!config.parameterServer.synchronous) return undefined;
      const counts = serverRows(config, rows).map(([, count]) => count);
      return counts.map((count) => (config.loss.reduction === 'sum' ? 1 : count / (rows[0] ?? 1)));
    },
  },
  processes: { group: () => ({}) },
  compiler: { compile, construct: initialCopies },
  facts: { closedForm: serverForm },
  checks: { notices: serverNotices },
};

function compile(input: ModeInput, kind: TrainingKind): Program {
  const { config } = input;
  if (config.worldSize === 1) return { ...compileSingle(input, kind), mode: 'parameterServer' };
  const { synchronous } = config.parameterServer;
  const builder = new ProgramBuilder(meshOfOneProcess(config), input.ops);
  const server = builder.lane(0);
  kind.microBatches.forEach((microBatch, m) => {
    builder.startMicroBatch(m);
    const workers = workersOf(builder, input, microBatch);
    const { stage } = at(workers, 0);
    declareServer(server, stage);
    if (!synchronous) {
      asynchronousStep(builder, input, workers);
      return;
    }
    for (const worker of workers) {
      // Nothing changes on the server between micro-batches.
      emitWorker(worker, () => {
        if (microBatch.gradients === 'set') pull(builder, worker, keptNames(stage));
      });
    }
    if (!stepsAfter(kind, m)) return;
    workers.forEach((worker, k) => {
      push(builder, worker, { sum: k > 0, buffers: k === 0 });
    });
    server.handOver('comm', 'compute', { phase: 'step', anchor: 'step' });
    emitOptimizer(server, input, stage.parameters);
  });
  return builder.finish('parameterServer', kind);
}

/** The workers that have rows of the batch. */
function workersOf(
  builder: ProgramBuilder,
  input: ModeInput,
  { rows: [rows = 0], gradients }: MicroBatchKind,
): readonly Worker[] {
  const { config } = input;
  const { synchronous } = config.parameterServer;
  const share = (count: number): number => (synchronous && config.loss.reduction !== 'sum' ? count / rows : 1);
  return serverRows(config, [rows]).flatMap(([start, count], device): readonly Worker[] => {
    if (count === 0) return [];
    const stage = stageGraph(input, { rows: count, withLoss: true, gradients });
    const lane = builder.lane(device);
    return [{ lane, stage: weighted(stage, share(count)), start, count, halves: halvesOf(config, lane) }];
  });
}
