/**
 * The page in which all contenders run. The driver (scripts/bench.mjs) calls it one contender and one round at a time, so
 * that they take turns on the same adapter.
 */
import type { CreateTrainer, Trainer, Weights } from './contender';
import { createJax } from './contenders/jax';
import { createDdp4, createSingle, initialWeights } from './contenders/lockstep';
import { createTensorflow } from './contenders/tensorflow';
import { WORKLOADS, type Workload } from './workload';

const CONTENDERS: Readonly<Record<string, CreateTrainer>> = {
  'Lockstep, Single': createSingle,
  'Lockstep, DDP, 4 ranks': createDdp4,
  'TensorFlow.js': createTensorflow,
  'jax-js': createJax,
};

const trainers = new Map<string, Trainer>();
const starts = new Map<string, Promise<Weights>>();

function workload(id: string): Workload {
  const found = WORKLOADS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no workload ${id}`);
  return found;
}

function weightsOf(work: Workload): Promise<Weights> {
  const known = starts.get(work.id) ?? initialWeights(work);
  starts.set(work.id, known);
  return known;
}

export interface BenchApi {
  readonly contenders: readonly string[];
  readonly workloads: readonly Workload[];
  adapter(): Promise<string>;
  /** Builds a contender's trainer and returns its losses of the first steps, one by one. */
  prepare(contender: string, workload: string, steps: number): Promise<number[]>;
  /** Trains for about `milliseconds`; steps a second. */
  measure(contender: string, workload: string, milliseconds: number): Promise<number>;
}

const api: BenchApi = {
  contenders: Object.keys(CONTENDERS),
  workloads: WORKLOADS,
  async adapter() {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) return 'none';
    return [adapter.info.vendor, adapter.info.architecture, adapter.info.description].filter(Boolean).join(' ');
  },
  async prepare(contender, id, steps) {
    const work = workload(id);
    const create = CONTENDERS[contender];
    if (create === undefined) throw new Error(`no contender ${contender}`);
    const trainer = await create(work, await weightsOf(work));
    trainers.set(`${contender}/${id}`, trainer);
    const losses: number[] = [];
    for (let step = 0; step < steps; step += 1) losses.push(await trainer.step(1));
    return losses;
  },
  async measure(contender, id, milliseconds) {
    const trainer = trainers.get(`${contender}/${id}`);
    if (trainer === undefined) throw new Error(`${contender} was not prepared`);
    const chunk = await stepsInOneLook(trainer);
    let steps = 0;
    const started = performance.now();
    while (performance.now() - started < milliseconds) {
      await trainer.step(chunk);
      steps += chunk;
    }
    return (1000 * steps) / (performance.now() - started);
  },
};

/** How many steps take about 100 ms: so often does each contender wait for the GPU. Looking for it is the warm-up. */
async function stepsInOneLook(trainer: Trainer): Promise<number> {
  for (let steps = 1; ; steps *= 2) {
    const started = performance.now();
    await trainer.step(steps);
    if (performance.now() - started >= 100) return steps;
  }
}

Object.assign(window, { bench: api });
