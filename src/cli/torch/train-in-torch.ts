/**
 * `lockstep train --engine torch`: exports the run as a folder with train.py, runs it in the PyTorch of this machine,
 * one process per rank under torchrun, and returns the results: progress, output by rank, the report, traces,
 * checkpoints, weights. Called by train.ts.
 */
import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LockstepError } from '../../base/errors';
import type { LaunchPlan } from '../../protocol/process-group';
import type { Rank } from '../../protocol/trace';
import { modelFileName } from '../../training/checkpoint/file-names';
import { checkRank } from '../../training/failures/fault-plan';
import { fileReason } from '../file-error';
import type { ProgressLine } from '../progress';
import { readRun } from '../read-run';
import { launchedConfig } from '../torchrun';
import type { TrainOptions } from '../train-usage';
import { exportTo, type WrittenExport } from './export-to';
import { planLine, planOnThisMachine, torchPlan, torchrunOptions } from './launch-plan';
import type { TorchOptions } from './options';
import { checkVersion, pythonWithTorch, type TorchPython } from './python';
import { RankOutput } from './rank-output';
import { runRanks } from './run-ranks';
import { type TorchReport, torchReport, type WrittenReport } from './torch-report';

export type TorchTrainOptions = TrainOptions & { readonly torch: TorchOptions };

interface TorchOutcome {
  /** Undefined if rank 0 ran on another machine, which has the report. */
  readonly report: TorchReport | undefined;
  readonly error: TorchReport['error'];
}

interface Prepared {
  readonly python: TorchPython;
  readonly exported: WrittenExport;
  /** Undefined: one process without a group. */
  readonly plan: LaunchPlan | undefined;
  readonly maxRestarts: number;
}

/** How long to wait for other machines before saying so. */
const WORD_MS = 5000;

export async function trainInTorch(
  options: TorchTrainOptions,
  progress: ProgressLine,
  signal: AbortSignal,
): Promise<TorchOutcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-torch-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // Removes the folder also if a second Ctrl+C ends this process at once.
  process.once('exit', remove);
  try {
    const prepared = await prepare(options, path.join(folder, 'run'), progress);
    return await run(prepared, { options, folder, progress, signal });
  } finally {
    process.off('exit', remove);
    remove();
  }
}

async function prepare(options: TorchTrainOptions, folder: string, progress: ProgressLine): Promise<Prepared> {
  const python = pythonWithTorch();
  const { config: given, files } = await readRun(options);
  const asked = options.maxRestarts ?? options.launch?.maxRestarts ?? given['maxRestarts'];
  // torchrun's default instead of the page's.
  const maxRestarts = typeof asked === 'number' ? asked : 0;
  const line = torchPlan(options, { worldSize: given['worldSize'], maxRestarts });
  const { config, replaced } = line ? launchedConfig(line, given) : { config: given, replaced: [] };
  for (const text of replaced) progress.say(`info: ${text}`);
  const exported = await exportTo(folder, config, files);
  checkVersion(python, exported.needs);
  const { processes, ranked } = exported;
  const ranks = Array.from({ length: processes }, (_, rank) => rank as Rank);
  for (const { rank } of options.faults) checkRank(rank, ranks);
  const plan = line ?? (ranked ? planOnThisMachine(processes, maxRestarts) : undefined);
  if (plan && plan.worldSize !== processes)
    throw new LockstepError(
      'config',
      `The command starts ${plan.worldSize} processes, but this configuration has ${processes} ranks.`,
      `--nnodes times --nproc_per_node must be ${processes}.`,
    );
  if (!options.quiet) {
    progress.say(`torch ${python.torch} of ${python.path} (Python ${python.python})`);
    if (plan) progress.say(planLine(plan, maxRestarts));
  }
  return { python, exported, plan, maxRestarts };
}

interface Around {
  readonly options: TorchTrainOptions;
  readonly folder: string;
  readonly progress: ProgressLine;
  readonly signal: AbortSignal;
}

async function run(
  { python, exported, plan, maxRestarts }: Prepared,
  { options, folder, progress, signal }: Around,
): Promise<TorchOutcome> {
  const { config, processes, steps } = exported;
  const { accumulate, timeoutS } = config;
  const nodes = plan?.nodes.length ?? 1;
  const { quiet } = options;
  const here = processes / nodes;
  const output = new RankOutput(progress, { processes, here, nodes, steps, accumulate, timeoutS, maxRestarts, quiet });
  const reportFile = path.join(folder, 'report.json');
  const checkpoint = options.checkpoint ?? (options.save === undefined ? undefined : path.join(folder, 'saved'));
  const waiting = setTimeout(() => {
    if (nodes > 1 && !output.begun)
      progress.say(`info: waiting for ${nodes} nodes at ${plan?.rendezvous.endpoint}: run the same command on each.`);
  }, WORD_MS);
  const outcome = await runRanks({
    python: python.command,
    folder,
    script: exported.script,
    args: [...scriptArguments(options, reportFile, checkpoint), '--timeout', String(timeoutS)],
    torchrun: plan && torchrunOptions(plan, maxRestarts),
    here,
    oneNode: nodes === 1,
    onStart: ({ restart }, lost) => output.attempt(restart, lost),
    onLine: (process, _, text) => output.line(process, text),
    signal,
  });
  clearTimeout(waiting);
  output.end();
  const written = await readReport(reportFile, options.weights === true);
  const report = torchReport(written, {
    python,
    config,
    plan,
    maxRestarts,
    device: options.torch.device,
    backend: options.torch.backend,
    outcome,
    records: output.records,
    notices: output.notices,
  });
  // The only report on a machine that never met the others.
  const isFirst = written !== undefined || nodes === 1 || outcome.ranks.includes(0);
  if (!isFirst) {
    if (!quiet && outcome.ranks.length > 0)
      progress.say(`Ranks ${outcome.ranks.join(', ')} ran here; the report is written where rank 0 ran.`);
    return { report: undefined, error: report.error };
  }
  if (options.save !== undefined && checkpoint !== undefined)
    await copyWeights(checkpoint, options.save, report.error === undefined);
  return { report, error: report.error };
}

function scriptArguments(
  options: TorchTrainOptions,
  report: string,
  checkpoint: string | undefined,
): readonly string[] {
  const { torch, checkpointEvery, trace, faults, history = 0 } = options;
  return [
    ...['--device', torch.device, '--report', report, '--progress', '--history', String(history)],
    ...(torch.backend === undefined ? [] : ['--backend', torch.backend]),
    ...(checkpoint === undefined ? [] : ['--checkpoint', path.resolve(checkpoint)]),
    ...(checkpointEvery === undefined ? [] : ['--checkpoint-every', String(checkpointEvery)]),
    ...(trace === undefined ? [] : ['--trace', path.resolve(trace)]),
    ...faults.flatMap(({ what, rank, step }) => [`--${what}`, `${rank}@${step}`]),
  ];
}

/** Undefined if rank 0 is on another machine, or was killed. */
async function readReport(file: string, weights: boolean): Promise<WrittenReport | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { history, weights: given, ...report } = JSON.parse(text) as WrittenReport;
  const number = (loss: number | null): number => loss ?? Number.NaN;
  return {
    ...report,
    losses: report.losses.map((record) => ({
      ...record,
      loss: number(record.loss),
      perRank: record.perRank.map(number),
    })),
    // The same as without --engine: only the requested parts.
    ...(weights && given ? { weights: given } : {}),
    ...(history && history.length > 0 ? { history } : {}),
  };
}

/** Copies the weights; a failed run may have left none. */
async function copyWeights(checkpoint: string, file: string, must: boolean): Promise<void> {
  await copyFile(modelFileName(path.resolve(checkpoint)), file).catch((error: unknown) => {
    const hint = 'The folder must exist and be writable.';
    if (must) throw new LockstepError('config', `cannot write ${file}: ${fileReason(error)}`, hint);
  });
}
