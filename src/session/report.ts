/** The report of a headless run: the same object from the page and from the command line. Bytes are counted from the Program that ran. */
import { toWire } from '../base/errors';
import { at } from '../base/invariant';
import { STRATEGIES } from '../parallel/strategies';
import { FULL } from '../parallel/strategy';
import type { Program } from '../program/instruction';
import type { Report } from '../protocol/session';
import type { LossRecord } from '../protocol/trace';
import { describe } from '../simulator/hardware';
import { machineOf } from '../simulator/machine';
import { modelledStep, speedup } from '../simulator/simulate';
import { bytesFormula } from '../trace/formula';
import { countTraffic, type Traffic } from '../trace/links';
import type { Blueprint } from './blueprint';
import { singleTwin } from './config/parse-config';
import { memoryOf } from './device-memory';
import type { Measure } from './evaluation/measure';
import { processGroupReport } from './process-group-report';
import { sessionInfo } from './session-info';
import type { Training, Weights } from './training';
import { mergedWeights } from './weights/merged-weights';
import { differenceFromSingle, replicaDivergence } from './weights/weight-differences';
import { hashWeights } from './weights/weights-hash';

export const LOCKSTEP_VERSION = '0.1.0';

/** What one step of the Program moves. */
const trafficOf = ({ lanes }: Program): Traffic =>
  countTraffic(
    lanes.flatMap(({ device, instructions }) =>
      instructions.flatMap((i) => (i.kind === 'send' || i.kind === 'recv' ? [{ ...i, device }] : [])),
    ),
    lanes.length,
  );

/** Over a run: the first step and short batches move other bytes than the rest. */
function totalBytes(blueprint: Blueprint, steps: number): number {
  const perVariant = new Map(blueprint.programs.map((p) => [p.variant, trafficOf(p).total]));
  const batches = blueprint.batches(blueprint.resume?.checkpoint.batches);
  let total = 0;
  for (let s = 0; s < steps; s++) total += perVariant.get(blueprint.variantOf(batches.next())) ?? 0;
  return total;
}

export interface ReportInput {
  readonly training: Training;
  readonly losses: readonly LossRecord[];
  readonly totalMs: number;
  readonly weights: Weights;
  readonly measured: ReturnType<Measure['run']>;
  /** How often all ranks have started again. */
  readonly restarts: number;
  readonly error?: unknown;
}

export async function makeReport({
  training,
  losses,
  totalMs,
  weights,
  measured: { train, test },
  restarts,
  error,
}: ReportInput): Promise<Report> {
  const { blueprint } = training;
  const { config } = blueprint;
  const program = at(blueprint.programs, 0);
  const traffic = trafficOf(program);
  const hardware = machineOf(config);
  const modelled = modelledStep(program, hardware, config.stragglers).stepUs;
  const alone = STRATEGIES.single.compile({ ...blueprint.input, config: singleTwin(config) }, FULL, [
    blueprint.batches().sizes.full.reduce((a, b) => a + b, 0),
  ]);
  const hash = await hashWeights(mergedWeights(blueprint, weights));
  const accuracy = test?.accuracy ?? train.accuracy;
  const fromSingle = differenceFromSingle(blueprint, weights);
  const processGroup = processGroupReport(config, restarts);
  return {
    lockstep: LOCKSTEP_VERSION,
    config,
    device: training.device,
    steps: losses.length,
    losses,
    finalLoss: losses.at(-1)?.loss ?? Number.NaN,
    ...(test === undefined ? {} : { testLoss: test.loss }),
    ...(accuracy === undefined ? {} : { accuracy }),
    bytes: {
      perStepByPayload: traffic.byPayload,
      perStepByLink: traffic.byLink,
      perRankFormula: bytesFormula(sessionInfo(training)).text,
      perRank: traffic.sent,
      total: totalBytes(blueprint, losses.length),
    },
    memory: memoryOf(blueprint),
    time: {
      clock: 'measured: wall clock of this machine; modelled: the cost model of the named hardware',
      measuredTotalMs: totalMs,
      measuredStepsPerSecond: (1000 * losses.length) / Math.max(0.001, totalMs),
      modelledStepUs: modelled,
      modelledHardware: describe(hardware).label,
      modelledSpeedup: speedup(program, alone, hardware, config.stragglers),
    },
    replicaDivergence: replicaDivergence(blueprint, weights),
    ...(processGroup === undefined ? {} : { processGroup }),
    ...(fromSingle === undefined ? {} : { differenceFromSingle: fromSingle }),
    weightsSha256: hash.all,
    parametersSha256: hash.byName,
    notices: [...blueprint.notices, ...training.notices],
    ...(error === undefined ? {} : { error: toWire(error) }),
  };
}
