/** The report of a headless run: the same object from the page and from the command line. Bytes are counted from the Program that ran. */
import { toWire } from '../base/errors';
import { at } from '../base/invariant';
import { bytesSentPerRank } from '../parallel/ddp';
import { STRATEGIES } from '../parallel/strategies';
import type { Program } from '../program/instruction';
import { deviceMemory, planDevice } from '../program/memory-planner';
import type { Report, Snapshot } from '../protocol/session';
import type { DeviceMemory, LossRecord } from '../protocol/trace';
import { describe, HARDWARE } from '../simulator/hardware';
import { modelledStep } from '../simulator/simulate';
import type { Blueprint } from './blueprint';
import { singleTwin } from './parse-config';
import { mergedWeights } from './snapshot';
import type { Training, Weights } from './training';

export const LOCKSTEP_VERSION = '0.1.0';

export function memoryOf(blueprint: Blueprint): readonly DeviceMemory[] {
  const budget = blueprint.config.memoryBudgetMb * 1024 * 1024;
  return blueprint.rankOfDevice.map((_, device) =>
    deviceMemory(blueprint.programs, planDevice(blueprint.programs, device), budget),
  );
}

/** Bytes sent in one step by payload, by link and by device. */
export function bytesOf(program: Program) {
  const byPayload: Record<string, number> = {};
  const byLink: Record<string, number> = {};
  const byDevice = program.lanes.map(() => 0);
  for (const lane of program.lanes) {
    for (const i of lane.instructions) {
      if (i.kind !== 'send') continue;
      byPayload[i.payload] = (byPayload[i.payload] ?? 0) + i.bytes;
      const link = `cuda:${lane.device}->cuda:${i.peer}`;
      byLink[link] = (byLink[link] ?? 0) + i.bytes;
      byDevice[lane.device] = at(byDevice, lane.device) + i.bytes;
    }
  }
  return { byPayload, byLink, byDevice, total: byDevice.reduce((a, b) => a + b, 0) };
}

/** The closed form beside which the counted bytes stand. */
export function bytesFormula(blueprint: Blueprint): string {
  const { config, parameters } = blueprint;
  const n = config.worldSize;
  const bytes = 4 * parameters.reduce((sum, p) => sum + p.data.length, 0);
  if (config.mode === 'single' || n === 1) return '0: one device';
  if (config.mode === 'dataParallel')
    return `cuda:0 broadcasts (n-1) x ${bytes} B of parameters and receives (n-1) x ${bytes} B of gradients, beside inputs and outputs; n = ${n}`;
  if (config.mode === 'modelParallel')
    return 'each boundary: batch x features x 4 B of activations forward, as much of gradients back';
  const sent = bytesSentPerRank(blueprint.input);
  if (config.ddp.algorithm === 'naive') return `rank 0: (N-1) x ${bytes} B, the others ${bytes} B; N = ${n}`;
  const mean = sent.reduce((a, b) => a + b, 0) / n;
  return `2(N-1)/N x ${bytes} B = ${mean} B on average; N = ${n}`;
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, '0')).join('');
}

const bytesOfArray = (a: Float32Array): Uint8Array<ArrayBuffer> => new Uint8Array(Float32Array.from(a).buffer);

export interface ReportInput {
  readonly training: Training;
  readonly losses: readonly LossRecord[];
  readonly totalMs: number;
  readonly weights: Weights;
  readonly snapshot: Snapshot;
  readonly error?: unknown;
}

export async function makeReport({
  training,
  losses,
  totalMs,
  weights,
  snapshot,
  error,
}: ReportInput): Promise<Report> {
  const { blueprint } = training;
  const { config } = blueprint;
  const program = at(blueprint.programs, 0);
  const bytes = bytesOf(program);
  const merged = mergedWeights(blueprint, weights);
  const hardware = HARDWARE[config.hardware];
  const modelled = modelledStep(program, hardware).stepUs;
  const alone = STRATEGIES.single.compile(
    { ...blueprint.input, config: singleTwin(config) },
    'full',
    at(blueprint.batches().sizes.full, 0) * (config.mode === 'ddp' ? config.worldSize : 1),
  );
  const parametersSha256: Record<string, string> = {};
  for (const [name, values] of merged) parametersSha256[name] = await sha256(bytesOfArray(values));
  const all = new Float32Array([...merged.values()].reduce((n, a) => n + a.length, 0));
  let offset = 0;
  for (const values of merged.values()) {
    all.set(values, offset);
    offset += values.length;
  }
  const accuracy = snapshot.testAccuracy ?? snapshot.trainAccuracy;
  return {
    lockstep: LOCKSTEP_VERSION,
    config,
    device: training.device,
    steps: losses.length,
    losses,
    finalLoss: losses.at(-1)?.loss ?? Number.NaN,
    ...(snapshot.testLoss === undefined ? {} : { testLoss: snapshot.testLoss }),
    ...(accuracy === undefined ? {} : { accuracy }),
    bytes: {
      perStepByPayload: bytes.byPayload,
      perStepByLink: bytes.byLink,
      perRankFormula: bytesFormula(blueprint),
      perRank: bytes.byDevice,
      total: bytes.total * losses.length,
    },
    memory: memoryOf(blueprint),
    time: {
      clock: 'measured: wall clock of this machine; modelled: the cost model of the named hardware',
      measuredTotalMs: totalMs,
      measuredStepsPerSecond: (1000 * losses.length) / Math.max(0.001, totalMs),
      modelledStepUs: modelled,
      modelledHardware: describe(hardware).label,
      modelledSpeedup: modelledStep(alone, hardware).stepUs / modelled,
    },
    replicaDivergence: snapshot.replicaDivergence,
    ...(snapshot.differenceFromSingle === undefined ? {} : { differenceFromSingle: snapshot.differenceFromSingle }),
    weightsSha256: await sha256(bytesOfArray(all)),
    parametersSha256,
    notices: [...blueprint.notices, ...training.notices],
    ...(error === undefined ? {} : { error: toWire(error) }),
  };
}
