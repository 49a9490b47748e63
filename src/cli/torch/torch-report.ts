/**
 * The report of a run in PyTorch: the script's report, or, if rank 0 could not write one, the facts from its progress
 * lines; plus launch, process group and the error that ended the run. Called by train-in-torch.ts.
 */
import { LockstepError, toWire } from '../../base/errors';
import type { Config } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import type { LaunchPlan } from '../../protocol/process-group';
import type { ProcessGroupReport, Report } from '../../protocol/report';
import type { LossRecord } from '../../protocol/trace';
import { causeOf } from './lost-ranks';
import type { TorchPython } from './python';
import type { RanksOutcome } from './run-ranks';

/** The part of a report that PyTorch can give; facts from Lockstep's Programs (modelled times, links) are missing. */
export type TorchReport = Partial<Report> & Pick<Report, 'losses' | 'steps'>;

/** A report as the script writes it: with `null` for NaN, and without steps if it failed. */
export type WrittenReport = Partial<Report> & Pick<Report, 'losses'>;

export interface TorchRun {
  readonly python: TorchPython;
  /** The configuration with all defaults, as in the export. */
  readonly config: Config;
  readonly plan: LaunchPlan | undefined;
  readonly maxRestarts: number;
  /** The requested device; the script's report has the used one. */
  readonly device: string;
  readonly backend: string | undefined;
  readonly outcome: RanksOutcome;
  /** Every micro-batch that rank 0 reported, also before a restart. */
  readonly records: readonly LossRecord[];
  /** Notices of this launcher, about restarts. */
  readonly notices: readonly Notice[];
}

/** `written`: the script's report; undefined if there is no readable one. */
export function torchReport(written: WrittenReport | undefined, run: TorchRun): TorchReport {
  const { outcome, plan, python, records } = run;
  const losses = joined(records, written?.losses ?? []);
  const error = errorOf(run, losses);
  const base: WrittenReport = written ?? {
    lockstep: '',
    engine: {
      name: 'pytorch',
      version: python.torch,
      device: run.device,
      ...(run.backend === undefined ? {} : { backend: run.backend }),
    },
    config: run.config,
    losses: [],
    notices: [],
  };
  const whole = Math.floor(losses.length / run.config.accumulate);
  const last = losses.at(-1);
  return {
    ...base,
    steps: outcome.restarts === 0 ? (written?.steps ?? whole) : whole,
    losses,
    ...(last === undefined ? {} : { finalLoss: last.loss }),
    ...(plan === undefined ? {} : { launch: started(plan, outcome.master), processGroup: groupOf(run, plan, written) }),
    notices: [...(base.notices ?? []), ...run.notices],
    ...(error === undefined ? {} : { error: toWire(error) }),
  };
}

/** The plan with the address at which the ranks met. */
function started(plan: LaunchPlan, master: RanksOutcome['master']): LaunchPlan {
  if (master === undefined) return plan;
  const [MASTER_ADDR, MASTER_PORT] = master;
  const nodes = plan.nodes.map((node) => ({
    ...node,
    ranks: node.ranks.map((rank) => ({ ...rank, MASTER_ADDR, MASTER_PORT })),
  }));
  return { ...plan, nodes };
}

/**
 * The micro-batches of the last attempt, preceded by those that only an earlier attempt ran. If the run failed, rank 0
 * has written only its own losses, so the losses that all ranks reported are preferred.
 */
function joined(told: readonly LossRecord[], written: readonly LossRecord[]): readonly LossRecord[] {
  const byMicroBatch = new Map(told.map((record) => [record.microBatch, record]));
  for (const record of written)
    if (record.perRank.length >= (byMicroBatch.get(record.microBatch)?.perRank.length ?? 0))
      byMicroBatch.set(record.microBatch, record);
  return [...byMicroBatch.values()].toSorted((a, b) => a.microBatch - b.microBatch);
}

function groupOf(
  { config, maxRestarts, backend, outcome }: TorchRun,
  { worldSize, nodes }: LaunchPlan,
  written: WrittenReport | undefined,
): ProcessGroupReport {
  return {
    backend: (backend ?? written?.engine?.backend) === 'nccl' ? 'nccl' : 'gloo',
    worldSize,
    timeoutS: config.timeoutS,
    ...written?.processGroup,
    nodes: nodes.map(({ ranks }) => ranks.map(({ RANK }) => RANK as ProcessGroupReport['nodes'][number][number])),
    maxRestarts,
    restarts: outcome.restarts,
  };
}

/** train.py's message for too few GPUs. */
const NO_GPU = /train\.py: needs \d+ GPUs/;

function errorOf({ outcome, config, plan }: TorchRun, losses: readonly LossRecord[]): LockstepError | undefined {
  const { status, stopped, lost, launcherSaid } = outcome;
  if (status === 0) return undefined;
  if (stopped) {
    const steps = Math.floor(((losses.at(-1)?.microBatch ?? -1) + 1) / config.accumulate);
    return new LockstepError('aborted', `The run was stopped after ${steps} steps.`);
  }
  const nodes = plan?.nodes.length ?? 1;
  const cause = causeOf(lost, config.timeoutS, nodes);
  const details = {
    ranks: lost.map(({ process: { rank } }) => rank),
    ...(cause?.rank === undefined ? {} : { rank: cause.rank }),
  };
  if (cause && NO_GPU.test(cause.message)) return new LockstepError('no-adapter', cause.message, '', details);
  if (cause) return new LockstepError('rank-failed', cause.message, cause.hint, details);
  return new LockstepError(
    'distributed',
    `torchrun ended with status ${status}: ${launcherSaid.at(-1)?.trim() ?? 'it said nothing'}`,
    nodes > 1 ? 'Every machine must reach the endpoint, with the same --rdzv_id and --nnodes.' : '',
    { said: launcherSaid },
  );
}

/** The closing line. */
export function torchSummary({ steps, losses, engine, time, processGroup }: TorchReport): string {
  const last = losses.at(-1);
  const loss = last === undefined ? '' : `, loss ${last.loss.toPrecision(6)}`;
  const speed = time ? `, ${time.measuredStepsPerSecond.toFixed(1)} steps/s measured` : '';
  const ranks = processGroup ? `, ${processGroup.worldSize} ranks over ${processGroup.backend}` : '';
  return `${steps} steps in torch ${engine?.version ?? ''} (${engine?.device ?? ''}${ranks})${loss}${speed}`;
}
