/**
 * `lockstep train`: reads the run, trains it in this process (Dawn or the CPU) or in headless Chromium, and writes
 * report, trace and weights. The session does all training; this file handles only input and output.
 */
import { LockstepError, type WireError } from '../base/errors';
import { chromeTrace, runConfig } from '../headless/run';
import type { FlightRecorderDump } from '../protocol/process-group';
import type { PipelineReport, RecordOptions, Report } from '../protocol/report';
import type { SessionInfo } from '../protocol/session-info';
import type { StepTrace } from '../protocol/trace';
import { saveCheckpoint } from './checkpoint-files';
import { saveShards } from './checkpoint-shards';
import { openDawn } from './dawn';
import { EXIT, exitCode } from './exit-code';
import { checkOutputs, write } from './outputs';
import { createProgress, type ProgressLine } from './progress';
import { type GivenRun, readRun } from './read-run';
import { reportText } from './report-text';
import { runInBrowser } from './run-in-browser';
import { torchSummary } from './torch/torch-report';
import { type TorchTrainOptions, trainInTorch } from './torch/train-in-torch';
import { launchedConfig, launchLines } from './torchrun';
import type { TrainOptions } from './train-usage';

interface Outcome {
  readonly report: Report;
  readonly traces: readonly StepTrace[];
  readonly info: SessionInfo | undefined;
  readonly weights: (() => Uint8Array) | undefined;
  readonly dataset: (() => Uint8Array) | undefined;
  readonly flightRecorder: (() => readonly FlightRecorderDump[]) | undefined;
}

/** Resolves to the exit status; a run that stopped early still writes a report of its steps. */
export async function train(options: TrainOptions, signal: AbortSignal): Promise<number> {
  if (options.torch) return engineTorch({ ...options, torch: options.torch }, signal);
  const { config: given, files } = await readRun(options);
  const { launch } = options;
  const { config, replaced } = launch ? launchedConfig(launch, given) : { config: given, replaced: [] };
  await checkOutputs(options);
  const run: GivenRun = {
    config: {
      ...config,
      ...(options.device === undefined ? {} : { device: options.device }),
      ...(options.maxRestarts === undefined ? {} : { maxRestarts: options.maxRestarts }),
    },
    files,
  };
  const progress = createProgress(process.stderr);
  if (launch && !options.quiet) progress.say(launchLines(launch).join('\n'));
  for (const text of replaced) progress.say(`info: ${text}`);
  const outcome = options.browser
    ? await inBrowser(run, options, progress, signal)
    : await inNode(run, options, progress, signal);
  progress.end();
  await writeResults(launch ? { ...outcome, report: { ...outcome.report, launch } } : outcome, options);
  if (!options.quiet) progress.say(summary(outcome.report));
  return closing(progress, outcome.report.error);
}

async function engineTorch(options: TorchTrainOptions, signal: AbortSignal): Promise<number> {
  await checkOutputs(options);
  const progress = createProgress(process.stderr);
  const { report, error } = await trainInTorch(options, progress, signal);
  progress.end();
  if (report) await writeReport(report, options.out);
  if (report && report.losses.length > 0 && !options.quiet) progress.say(torchSummary(report));
  return closing(progress, error);
}

/** Prints why the run stopped, and returns the matching exit status. */
function closing(progress: ProgressLine, error: WireError | undefined): number {
  if (error === undefined) return EXIT.ok;
  progress.say(`${error.message}${error.hint ? `\n${error.hint}` : ''}`);
  return exitCode(error.code);
}

/** Replaces the session's message, which is about browsers. */
const NO_ADAPTER = new LockstepError(
  'no-adapter',
  'Dawn for Node finds no GPU adapter on this machine.',
  'Install a Vulkan driver or a Chromium (Lockstep then uses its SwiftShader), or train with --device cpu.',
);

async function inNode(
  run: GivenRun,
  options: TrainOptions,
  progress: ProgressLine,
  signal: AbortSignal,
): Promise<Outcome> {
  const dawn = run.config['device'] === 'cpu' ? { gpu: undefined, problem: '' } : await openDawn();
  if (dawn.gpu === undefined && run.config['device'] === 'webgpu') {
    throw new LockstepError(
      'no-webgpu',
      `Dawn for Node cannot be loaded: ${dawn.problem}`,
      'Run npm install, or use --browser.',
    );
  }
  const { checkpoint: base } = options;
  const said = new Set<string>();
  const outcome = await runConfig(run.config, run.files, {
    ...(dawn.gpu === undefined ? {} : { gpu: dawn.gpu }),
    ...(options.quiet ? {} : { onLoss: (...given) => progress.step(...given) }),
    ...(options.quiet ? {} : { onPhase: (text) => progress.say(text) }),
    trace: options.trace !== undefined,
    faults: options.faults,
    evaluate: options.evaluate === true,
    records: recordOptions(options),
    onNotice: (notice) => {
      said.add(notice.text);
      progress.say(`${notice.level}: ${notice.text} ${notice.hint}`.trimEnd());
    },
    ...(base === undefined
      ? {}
      : {
          checkpoint: {
            every: options.checkpointEvery,
            save: (files, shards) =>
              options.checkpointShards === true ? saveShards(base, shards()) : saveCheckpoint(base, files),
          },
        }),
    signal,
  }).catch((error: unknown) => {
    throw error instanceof LockstepError && error.code === 'no-adapter' ? NO_ADAPTER : error;
  });
  for (const notice of outcome.report.notices)
    if (!said.has(notice.text)) progress.say(`${notice.level}: ${notice.text} ${notice.hint}`.trimEnd());
  return outcome;
}

async function inBrowser(
  run: GivenRun,
  options: TrainOptions,
  progress: ProgressLine,
  signal: AbortSignal,
): Promise<Outcome> {
  const report = await runInBrowser(run, recordOptions(options), (text) => progress.say(text), signal);
  for (const notice of report.notices) progress.say(`${notice.level}: ${notice.text} ${notice.hint}`.trimEnd());
  return { report, traces: [], info: undefined, weights: undefined, dataset: undefined, flightRecorder: undefined };
}

const recordOptions = ({ history, weights }: TrainOptions): RecordOptions => ({
  ...(history === undefined ? {} : { history }),
  ...(weights === undefined ? {} : { weights }),
});

async function writeResults(outcome: Outcome, options: TrainOptions): Promise<void> {
  await writeReport(outcome.report, options.out);
  if (options.trace !== undefined)
    await write(options.trace, JSON.stringify(chromeTrace(outcome.traces, options.clock, outcome.info)));
  if (options.save !== undefined && outcome.weights) await write(options.save, outcome.weights());
  if (options.flightRecorder !== undefined && outcome.flightRecorder)
    await write(options.flightRecorder, JSON.stringify(outcome.flightRecorder(), undefined, 1));
  if (options.dataset !== undefined && outcome.dataset) await write(options.dataset, outcome.dataset());
}

async function writeReport(report: Pick<Report, 'losses' | 'history'>, out: string | undefined): Promise<void> {
  if (out === undefined) for (const piece of reportText(report)) process.stdout.write(piece);
  else await write(out, reportText(report));
}

function summary(report: Report): string {
  const { device, time } = report;
  const speed = `${time.measuredStepsPerSecond.toFixed(1)} steps/s measured`;
  const loss = report.losses.length > 0 ? `, loss ${report.finalLoss.toPrecision(6)}` : '';
  const closing = `${report.steps} steps on ${device.kind} (${device.adapter})${loss}, ${speed}`;
  return report.pipeline ? `${closing}\n${scheduleSummary(report.pipeline)}` : closing;
}

/** '1F1B: bubble 27.27 % = (P - 1) / (M + P - 1); activations kept at once, by rank: 4 3 2 1 = min(M, P - r)'. */
function scheduleSummary({ schedule, bubble, peakActivations: peaks }: PipelineReport): string {
  const by = (form: { readonly formula: string } | undefined): string =>
    form ? ` = ${form.formula}` : ' (counted, no formula known)';
  const name = schedule === 'own' ? 'own schedule' : schedule;
  const idle = `bubble ${(100 * bubble.counted).toFixed(2)} %${by(bubble.byFormula)}`;
  return `${name}: ${idle}; activations kept at once, by rank: ${peaks.counted.join(' ')}${by(peaks.byFormula)}`;
}
