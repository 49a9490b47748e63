/**
 * Runs the Lockstep workloads on the GPU that Dawn finds under Node, checks them against the CPU device, and runs the
 * studies. Called by gpu-figures.mjs with the options and a file for the result. It also runs by hand: `node dawn.mjs`,
 * with the package `webgpu` beside it.
 */
import { writeFileSync } from 'node:fs';
import { create, globals } from 'webgpu';
import { disagreement } from './check-losses.mjs';
import type { Runner } from './contenders/contender';
import { lockstepContenders } from './contenders/lockstep';
import { machine } from './machine.mjs';
import type { Figure, StudyFigure } from './result';
import { STUDIES } from './studies';
import { checkNames, chosen, summary } from './summary.mjs';
import { timed } from './timed';
import { WORKLOADS } from './workloads';
import { expectedProbes } from './workloads/products';
import type { Workload } from './workloads/workload';

interface Options {
  readonly only: readonly string[];
  readonly contenders: readonly string[];
  readonly rounds: number;
  readonly milliseconds: number;
}

const DEFAULTS: Options = { only: [], contenders: [], rounds: 5, milliseconds: 500 };
const [, , optionText = '{}', file = 'dawn.json'] = process.argv;
const options: Options = { ...DEFAULTS, ...(JSON.parse(optionText) as Partial<Options>) };
Object.assign(globalThis, globals);
/** Kept until the end, because Dawn aborts the process when its instance is collected. */
const gpu = create([]);

async function adapterName(): Promise<string> {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('Dawn found no adapter: is a Vulkan driver installed?');
  const { vendor, architecture, device, description } = adapter.info;
  return [...new Set([vendor, architecture, device, description].filter(Boolean))].join(' ');
}

const contenders = lockstepContenders(gpu).filter(({ id }) => chosen(id, options.contenders));
const workloads = WORKLOADS.filter(({ id }) => chosen(id, options.only));

async function measureWork(work: Workload): Promise<Figure[]> {
  const figures: Figure[] = [];
  let expected = work.kind === 'product' ? expectedProbes(work.size) : undefined;
  for (const contender of contenders) {
    const { id, backend, mode } = contender;
    if ((backend === 'cpu' && !work.also.includes('cpu')) || (mode !== undefined && !work.also.includes(mode)))
      continue;
    const opening = work.kind === 'product' ? contender.product?.(work) : contender.training(work);
    if (!opening) continue;
    try {
      const { rounds, numbers } = await measureRunner(await opening, mode === 'ddp' ? undefined : expected);
      if (mode !== 'ddp') expected ??= numbers;
      const perRun = work.kind === 'product' ? (2 * work.size ** 3) / 1e9 : 1;
      figures.push({ workload: work.id, contender: id, summary: summary(rounds.map((rate) => rate * perRun)) });
    } catch (error) {
      figures.push({
        workload: work.id,
        contender: id,
        problem: error instanceof Error ? error.message : String(error),
      });
    }
    const last = figures.at(-1);
    console.log(`${work.title}, ${contender.title}: ${last?.summary?.median.toPrecision(4) ?? last?.problem}`);
  }
  return figures;
}

async function measureRunner(runner: Runner, expected: readonly number[] | undefined) {
  try {
    const numbers = await runner.check();
    const wrong = disagreement(numbers, expected);
    if (wrong) throw new Error(wrong);
    const rounds: number[] = [];
    while (rounds.length < options.rounds) rounds.push(await timed(runner.run, options.milliseconds));
    return { rounds, numbers };
  } finally {
    await runner.dispose();
  }
}

async function measureStudies(): Promise<StudyFigure[]> {
  const found: StudyFigure[] = [];
  for (const { id, title, run } of STUDIES.filter((study) => chosen(study.id, options.only))) {
    try {
      found.push({ id, title, result: await run({ ...options, gpu }) });
    } catch (error) {
      found.push({ id, title, problem: error instanceof Error ? error.message : String(error) });
    }
    const { result, problem } = found.at(-1) ?? {};
    console.log(`${title}: ${problem ?? result?.ratios.map(({ value }) => value.toFixed(2)).join(' ')}`);
  }
  return found;
}

async function main(): Promise<void> {
  checkNames(
    'only',
    options.only,
    [...WORKLOADS, ...STUDIES].map(({ id }) => id),
  );
  checkNames('contenders', options.contenders, [...lockstepContenders(gpu).map(({ id }) => id), 'pytorch']);
  const adapter = await adapterName();
  console.log(`adapter: ${adapter}`);
  const figures: Figure[] = [];
  for (const work of workloads) figures.push(...(await measureWork(work)));
  const software = /swiftshader|llvmpipe/i.test(adapter);
  const notes = software ? ['This adapter is a software one; its figures are not those of a GPU.'] : [];
  const result = {
    ...machine(),
    runtime: `Dawn in Node ${process.versions.node}`,
    adapter,
    workloads: workloads.map((work) => ({
      id: work.id,
      title: work.title,
      unit: work.kind === 'product' ? 'GFLOP/s' : 'steps/s',
    })),
    contenders: contenders.map(({ id, title, library, backend }) => ({ id, title, library, backend })),
    figures,
    studies: await measureStudies(),
    notes,
  };
  writeFileSync(file, JSON.stringify(result));
}

const status = await main().then(
  () => 0,
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  },
);
// Dawn keeps the event loop alive, so the process must exit explicitly.
process.exit(status);
