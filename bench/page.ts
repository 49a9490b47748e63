/**
 * The page in which one contender runs one workload. The driver (workload-figures.mjs) opens one page per contender and
 * calls the pages in turn. So all contenders share the browser and the adapter, and a contender that hangs or fails
 * does not affect the others.
 */

import { benchSession } from '../src/bench/bench';
import { PRESETS } from '../src/protocol/presets';
import { CONTENDERS } from './contenders';
import type { Contender, Runner } from './contenders/contender';
import { STUDIES } from './studies';
import type { StudyOptions, StudyResult } from './studies/study';
import { timed } from './timed';
import { WORKLOADS, workload } from './workloads';
import { expectedProbes } from './workloads/products';
import type { Workload } from './workloads/workload';

function takes({ id, product, backend, mode }: Contender, { kind, also }: Workload): boolean {
  if (kind === 'product' && product === undefined) return false;
  const onCpu = id === 'tensorflow-cpu' ? id : 'cpu';
  return (backend !== 'cpu' || also.includes(onCpu)) && (mode === undefined || also.includes(mode));
}

/** study-figures.mjs defines this function in the page. */
const CPU_SECONDS = 'cpuSeconds';

let runner: Runner | undefined;

const api = {
  workloads: WORKLOADS.map((work) => ({
    id: work.id,
    title: work.title,
    unit: work.kind === 'product' ? 'GFLOP/s' : 'steps/s',
    /** How many units one run counts. */
    perRun: work.kind === 'product' ? (2 * work.size ** 3) / 1e9 : 1,
    /** Numbers that `open` must return; absent: those of the first contender. */
    ...(work.kind === 'product' ? { expected: expectedProbes(work.size) } : {}),
    contenders: CONTENDERS.filter((each) => takes(each, work)).map(({ id }) => id),
  })),
  contenders: CONTENDERS.map(({ id, title, library, backend, mode }) => ({
    id,
    title,
    library,
    backend,
    ...(mode ? { mode } : {}),
  })),
  studies: STUDIES.map(({ id, title, isolated = false }) => ({ id, title, isolated })),
  presets: Object.entries(PRESETS).map(([id, { title }]) => ({ id, title })),

  async adapter(): Promise<string> {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) return 'none';
    return [adapter.info.vendor, adapter.info.architecture, adapter.info.description].filter(Boolean).join(' ');
  },

  /** Builds the runner and returns the numbers that must agree. */
  async open(contender: string, id: string): Promise<number[]> {
    const work = workload(id);
    const found = CONTENDERS.find((each) => each.id === contender);
    if (found === undefined) throw new Error(`no contender ${contender}`);
    runner = work.kind === 'product' ? await found.product?.(work) : await found.training(work);
    if (runner === undefined) throw new Error(`${contender} has no products`);
    return runner.check();
  },

  /** Runs for about `milliseconds`; returns runs per second. */
  async measure(milliseconds: number): Promise<number> {
    if (runner === undefined) throw new Error('nothing is open');
    return timed(runner.run, milliseconds);
  },

  async study(id: string, options: Pick<StudyOptions, 'rounds' | 'milliseconds'>): Promise<StudyResult> {
    const found = STUDIES.find((each) => each.id === id);
    if (found === undefined) throw new Error(`no study ${id}`);
    return found.run({ ...options, gpu: undefined, cpuSeconds: Reflect.get(globalThis, CPU_SECONDS) });
  },

  /** The time from opening a preset's session to its first finished step. */
  async firstStep(id: string): Promise<{ milliseconds: number; peakBytes: number }> {
    const preset = Object.entries(PRESETS).find(([name]) => name === id)?.[1];
    if (preset === undefined) throw new Error(`no preset ${id}`);
    const started = performance.now();
    const session = await benchSession({ ...preset.config, device: 'webgpu' });
    const loss = await session.step(1);
    const milliseconds = performance.now() - started;
    if (!Number.isFinite(loss)) throw new Error(`the first loss of ${id} is ${loss}`);
    const peakBytes = session.memory[0]?.peakBytes ?? Number.NaN;
    await session.dispose();
    return { milliseconds, peakBytes };
  },
};

export type BenchApi = typeof api;
Object.assign(window, { bench: api });
