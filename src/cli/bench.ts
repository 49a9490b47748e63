/**
 * `lockstep bench`: steps per second of the presets on this machine, as a table or as JSON; with --against, compares
 * them with an earlier report and sets an exit status for CI.
 */
import { readFile } from 'node:fs/promises';
import { cpus, type as osType } from 'node:os';
import * as v from 'valibot';
import { LockstepError } from '../base/errors';
import { type BenchMeans, runBench } from '../bench/run-bench';
import { type BenchReport, type BenchWorkload, benchReportSchema } from '../protocol/bench-report';
import type { BenchOptions } from './bench-usage';
import { EXIT } from './exit-code';
import { fileReason } from './file-error';
import { nodeGpu } from './node-gpu';
import { checkOutputs, write } from './outputs';

export async function bench(options: BenchOptions, signal: AbortSignal): Promise<number> {
  const { request, json, out, gate } = options;
  await checkOutputs({ out });
  const before = options.against === undefined ? undefined : await readReport(options.against);
  const say = (line: string): void => {
    if (!json) process.stdout.write(`${line}\n`);
  };
  const { rounds, milliseconds } = request;
  say(`# ${rounds} rounds of ${milliseconds} ms after a warm-up; steps per second: median, slowest, fastest`);
  const onWorkload = (workload: BenchWorkload): void => say(workloadLine(workload, medianIn(before, workload.id)));
  const { runtime, measured } = await (options.page ? inPage : inNode)(request, { signal, onWorkload });
  const report: BenchReport = {
    ...{ kind: 'lockstep bench', version: 1, date: new Date().toISOString().slice(0, 10), machine: machine(runtime) },
    ...{ page: options.page, ...measured },
  };
  say(`# measured on ${report.device.adapter}, ${report.machine.processor}, ${report.machine.runtime}`);
  if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (out !== undefined) await write(out, `${JSON.stringify(report, null, 2)}\n`);
  if (!before) return EXIT.ok;
  const { lines, status } = besides(report, before, gate);
  for (const line of lines) process.stderr.write(`${line}\n`);
  return status;
}

type Request = BenchOptions['request'];
type Means = Omit<BenchMeans, 'gpu'>;

async function inNode(request: Request, means: Means) {
  const gpu = await nodeGpu(request.device);
  return { runtime: `Node ${process.versions.node}`, measured: await runBench(request, { ...means, gpu }) };
}

async function inPage(request: Request, means: Means) {
  const { benchInPage } = await import('./bench-in-page');
  return await benchInPage(request, { ...means, say: (text) => void process.stderr.write(`${text}\n`) });
}

const machine = (runtime: string): BenchReport['machine'] => ({
  system: osType(),
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  runtime,
});

const medianIn = (report: BenchReport | undefined, id: string): number | undefined =>
  report?.workloads.find((workload) => workload.id === id)?.median;

const rate = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

export function workloadLine({ id, median, slowest, fastest }: BenchWorkload, before?: number): string {
  const beside = before === undefined ? '' : `   ${(median / before).toFixed(2)}x of ${rate(before)}`;
  return `${id.padEnd(20)}${rate(median).padStart(10)}${rate(slowest).padStart(10)}${rate(fastest).padStart(10)}${beside}`;
}

/** The words that compare a report with an earlier one, and the exit status. */
export function besides(
  now: BenchReport,
  before: BenchReport,
  gate: number,
): { readonly lines: readonly string[]; readonly status: number } {
  const [own, other] = [now, before].map(
    ({ device, page }) => `${device.kind}, ${device.adapter}${page ? ', in the page' : ''}`,
  );
  if (own !== other)
    return {
      lines: [`The reports are not of the same device: ${own} here, ${other} there. Nothing is compared.`],
      status: EXIT.differ,
    };
  const common = now.workloads.flatMap(({ id, median }) => {
    const earlier = medianIn(before, id);
    return earlier === undefined || earlier === 0 ? [] : [{ id, ratio: median / earlier }];
  });
  if (common.length === 0)
    return { lines: ['The reports have no workload in common. Nothing is compared.'], status: EXIT.differ };
  const slower = common.filter(({ ratio }) => ratio < gate);
  if (slower.length === 0)
    return { lines: [`All ${common.length} workloads reach ${gate} of the earlier report.`], status: EXIT.ok };
  return {
    lines: slower.map(
      ({ id, ratio }) => `${id} reaches ${ratio.toFixed(2)} of the earlier steps per second, which is below ${gate}.`,
    ),
    status: EXIT.slower,
  };
}

async function readReport(file: string): Promise<BenchReport> {
  const bad = (why: string): LockstepError =>
    new LockstepError('config', `--against ${file}: ${why}`, 'Write one with lockstep bench --out FILE.');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw bad(fileReason(error));
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw bad('it is not JSON');
  }
  const result = v.safeParse(benchReportSchema, json);
  if (!result.success)
    throw bad(
      `it is not a report of lockstep bench: ${v.getDotPath(result.issues[0]) ?? 'the file'}: ${result.issues[0].message}`,
    );
  return result.output;
}
