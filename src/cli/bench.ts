/**
 * `lockstep bench`: steps per second of the presets on this machine, as a table or as JSON; with --against, compares
 * them with an earlier report and sets an exit status for CI.
 */
import { readFile } from 'node:fs/promises';
import { cpus, type as osType } from 'node:os';
import * as v from 'valibot';
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { plural } from '../base/plural';
import { askedWorkloads, type BenchMeans, runBench } from '../bench/run-bench';
import { type BenchReport, type BenchWorkload, benchReportSchema } from '../protocol/bench-report';
import type { BenchOptions } from './bench-usage';
import { EXIT } from './exit-code';
import { fileReason } from './file-error';
import { nodeGpu } from './node-gpu';
import { checkOutputs, write } from './outputs';

const KIND = 'lockstep bench';
const VERSION = 1;

export async function bench(options: BenchOptions, signal: AbortSignal): Promise<number> {
  const { request, json, out, gate } = options;
  await checkOutputs({ out });
  const before = options.against === undefined ? undefined : await readReport(options.against);
  const say = (line: string): void => {
    if (!json) process.stdout.write(`${line}\n`);
  };
  const { only, rounds, milliseconds } = request;
  askedWorkloads(only);
  say(`# ${plural(rounds, 'round')} of ${milliseconds} ms after a warm-up; steps per second: median, slowest, fastest`);
  const onWorkload = (workload: BenchWorkload): void => say(workloadLine(workload, medianIn(before, workload.id)));
  const { runtime, measured } = await (options.page ? inPage : inNode)(request, { signal, onWorkload });
  const report: BenchReport = {
    ...{ kind: KIND, version: VERSION, date: new Date().toISOString().slice(0, 10), machine: machine(runtime) },
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

/** What two reports must have in common to be compared. */
const measuredOn = ({ device, page, machine: { system, processor, cores } }: BenchReport): string =>
  `${device.kind} (${device.adapter}${page ? ', in the page' : ''}) on ${system}, ${processor}, ${plural(cores, 'core')}`;

/** A sentence if the reports were measured with different settings, which the ratios then compare, too. */
function otherSettings(now: BenchReport, before: BenchReport): readonly string[] {
  const [own, other] = [now, before].map(
    ({ threads, fusedMultiplyAdd, machine: { runtime } }) =>
      `${plural(threads, 'thread')}${fusedMultiplyAdd ? ', fused multiply-add' : ''}, ${runtime}`,
  );
  return own === other ? [] : [`The earlier report was measured with ${other}; this one with ${own}.`];
}

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
  const [own, other] = [measuredOn(now), measuredOn(before)];
  if (own !== other)
    return {
      lines: [
        `The earlier report is from another device or machine: ${other}. This one is from ${own}. The gate is not applied.`,
      ],
      status: EXIT.differ,
    };
  const common = now.workloads.flatMap(({ id, median }) => {
    const earlier = medianIn(before, id);
    return earlier === undefined || earlier === 0 ? [] : [{ id, ratio: median / earlier }];
  });
  if (common.length === 0)
    return { lines: ['The reports have no workload in common. The gate is not applied.'], status: EXIT.differ };
  const notes = otherSettings(now, before);
  const slower = common.filter(({ ratio }) => ratio < gate);
  if (slower.length === 0)
    return {
      lines: [...notes, `All ${common.length} workloads reach ${gate} of the earlier report.`],
      status: EXIT.ok,
    };
  return {
    lines: [
      ...notes,
      ...slower.map(
        ({ id, ratio }) => `${id} reaches ${ratio.toFixed(2)} of the earlier steps per second, which is below ${gate}.`,
      ),
    ],
    status: EXIT.slower,
  };
}

async function readReport(file: string): Promise<BenchReport> {
  const bad = (why: string): LockstepError =>
    new LockstepError('config', `--against ${file}: ${why}`, 'Write a report with lockstep bench --out FILE.');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw bad(fileReason(error));
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw bad('the file is not JSON');
  }
  const kind = v.safeParse(v.object({ kind: v.literal(KIND), version: v.unknown() }), json);
  if (!kind.success) throw bad(`the file is not a report of lockstep bench: "kind" is not "${KIND}"`);
  if (kind.output.version !== VERSION)
    throw bad(
      `the report has version ${brief(JSON.stringify(kind.output.version))}, and this Lockstep reads version ${VERSION}`,
    );
  const result = v.safeParse(benchReportSchema, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw bad(`the report is not valid: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`);
}
