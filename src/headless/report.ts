/**
 * The report of a headless run: the same object from the page and from the command line. Bytes are counted from the
 * Program that ran.
 */
import { toWire } from '../base/errors';
import { at } from '../base/invariant';
import { referenceConfig } from '../config/parse-config';
import type { Measure } from '../inference/measure';
import { PARALLEL_MODES } from '../parallel/modes';
import type { Program } from '../program/instruction';
import type { Config } from '../protocol/config';
import { stepOf } from '../protocol/micro-batches';
import type { Report, StepRecord } from '../protocol/report';
import { programKey } from '../protocol/step-kind';
import type { LossRecord } from '../protocol/trace';
import { describe } from '../simulator/hardware';
import { machineOf } from '../simulator/machine';
import { modelledStep } from '../simulator/simulate';
import { closedFormOf } from '../trace/formula';
import { countTraffic, type Traffic } from '../trace/links';
import type { Blueprint } from '../training/blueprint';
import { memoryOf } from '../training/device-memory';
import { processGroupReport } from '../training/process-group-report';
import { joinedKind } from '../training/step-kinds';
import type { Training } from '../training/training';
import { usualStep } from '../training/usual-step';
import { mergedWeights } from '../training/weights/merged-weights';
import { differenceFromSingle, replicaDivergence } from '../training/weights/weight-differences';
import type { Weights } from '../training/weights/weights';
import { hashWeights } from '../training/weights/weights-hash';
import { collectivePayload } from './collective-payload';

export const LOCKSTEP_VERSION = '0.1.0';

/** Total traffic of Programs that run one after the other. */
const trafficOf = (programs: readonly Program[]): Traffic =>
  countTraffic(
    programs.flatMap(({ lanes }) =>
      lanes.flatMap(({ device, instructions }) =>
        instructions.flatMap((i) => (i.kind === 'send' || i.kind === 'recv' ? [{ ...i, device }] : [])),
      ),
    ),
    at(programs, 0).lanes.length,
  );

/** Total bytes of a run: the first step and short batches send other numbers of bytes than the rest. */
function totalBytes(blueprint: Blueprint, microBatches: number): number {
  const perProgram = new Map(blueprint.programs.map((p) => [programKey(p.kind), trafficOf([p]).total]));
  const batches = blueprint.batches(blueprint.resume?.checkpoint.batches);
  let total = 0;
  for (let m = 0; m < microBatches; m++) total += perProgram.get(programKey(blueprint.kindOf(batches.next()))) ?? 0;
  return total;
}

export interface ReportParts {
  readonly training: Training;
  readonly losses: readonly LossRecord[];
  readonly totalMs: number;
  readonly weights: Weights;
  readonly measured: ReturnType<Measure['run']>;
  /** Number of restarts of all ranks. */
  readonly restarts: number;
  readonly history?: readonly StepRecord[];
  readonly error?: unknown;
}

export async function makeReport({
  training,
  losses,
  totalMs,
  weights,
  measured: { train, test },
  restarts,
  history,
  error,
}: ReportParts): Promise<Report> {
  const { blueprint } = training;
  const { config } = blueprint;
  const step = usualStep(blueprint);
  const form = closedFormOf(blueprint.facts.closedForms, at(blueprint.programs, 0).kind);
  const traffic = trafficOf(step.map(({ program }) => program));
  // A closed form covers one pass that sends; a step may have several.
  const passes = step.filter(({ program }) => trafficOf([program]).total > 0).length;
  const hardware = machineOf(config);
  const modelledUs = (programs: readonly Program[], slow: Config['stragglers']): number =>
    programs.reduce((us, program) => us + modelledStep(program, hardware, slow).stepUs, 0);
  const modelled = modelledUs(
    step.map(({ program }) => program),
    config.stragglers,
  );
  const single = referenceConfig(config);
  const { compiler } = PARALLEL_MODES.single.facets(single);
  const alone = step.map(({ kind }) => compiler.compile({ ...blueprint.input, config: single }, joinedKind(kind)));
  const hash = await hashWeights(mergedWeights(blueprint, weights));
  const accuracy = test?.accuracy ?? train.accuracy;
  const fromSingle = differenceFromSingle(blueprint, weights);
  const pipeline = blueprint.facets.facts.schedule?.(config);
  const processGroup = processGroupReport(blueprint, restarts);
  const start = blueprint.resume?.checkpoint.microBatch ?? 0;
  const steps = stepOf(start + losses.length, config) - stepOf(start, config);
  return {
    lockstep: LOCKSTEP_VERSION,
    config,
    device: training.device,
    steps,
    losses,
    finalLoss: losses.at(-1)?.loss ?? Number.NaN,
    ...(test === undefined ? {} : { testLoss: test.loss }),
    ...(accuracy === undefined ? {} : { accuracy }),
    bytes: {
      perStepByPayload: traffic.byPayload,
      perStepByLink: traffic.byLink,
      perRankFormula: `${form?.text ?? ''}${passes > 1 ? `; ${passes} times a step` : ''}`,
      perRank: traffic.sent,
      total: totalBytes(blueprint, losses.length),
      payloadPerStep: collectivePayload(step.map(({ program }) => program)),
    },
    memory: memoryOf(blueprint),
    ...(pipeline === undefined ? {} : { pipeline }),
    time: {
      clock: 'measured: wall clock of this machine; modelled: the cost model of the named hardware',
      measuredTotalMs: totalMs,
      measuredStepsPerSecond: (1000 * steps) / Math.max(0.001, totalMs),
      modelledStepUs: modelled,
      modelledHardware: describe(hardware).label,
      modelledSpeedup: modelledUs(alone, []) / modelled,
    },
    replicaDivergence: replicaDivergence(blueprint, weights),
    ...(processGroup === undefined ? {} : { processGroup }),
    ...(fromSingle === undefined ? {} : { differenceFromSingle: fromSingle }),
    weightsSha256: hash.all,
    parametersSha256: hash.byName,
    ...(history === undefined ? {} : { history }),
    notices: [...blueprint.notices, ...training.notices],
    ...(error === undefined ? {} : { error: toWire(error) }),
  };
}
