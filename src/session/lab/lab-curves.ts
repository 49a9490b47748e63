/**
 * The algorithms that know a collective, timed on the lab's links over buffer sizes and over world sizes, and where the fastest one changes. Each point is
 * an event simulation of the Program that the algorithm emits; nothing is allocated or run. Called by session.ts.
 */
import { at } from '../../base/invariant';
import type { AlgorithmName } from '../../protocol/collective';
import { LIMITS } from '../../protocol/config';
import type { LabCrossover, LabCurve, LabCurves, LabRequest, LabSide } from '../../protocol/lab';
import { modelledStep } from '../../simulator/simulate';
import { labHardware } from './lab-hardware';
import { checkRequest, costRequest, knownAlgorithms, labLength, labProgram } from './lab-program';

/** Elements for each rank, beyond which chunks of whole elements change no order any more. */
const FLUTTER = 8;

/** 4 B to 256 MiB. */
const SIZES = Array.from({ length: 27 }, (_, power) => 2 ** power);

export function labCurves(request: LabRequest): LabCurves {
  checkRequest({ ...request, length: 0 });
  const known = knownAlgorithms(request.op);
  const overBytes = known.map((algorithm) => ({
    algorithm,
    points: SIZES.map((length) => pointOf({ ...request, algorithm, length })),
  }));
  const worlds = Array.from({ length: LIMITS.worldSize - 1 }, (_, i) => i + 2);
  const overRanks = known.map((algorithm) => ({
    algorithm,
    points: worlds.map((worldSize) =>
      pointOf({ ...request, algorithm, worldSize, root: Math.min(request.root, worldSize - 1) }),
    ),
  }));
  return { overBytes, overRanks, crossovers: request.worldSize < 2 ? [] : crossovers(request, known) };
}

function pointOf(request: LabRequest): LabCurve['points'][number] {
  return { worldSize: request.worldSize, bytes: 4 * labLength(request), timeUs: modelledUs(request) };
}

export function modelledUs(request: LabRequest): number {
  return modelledStep(labProgram(request).program, labHardware(request)).stepUs;
}

/** Of equals the first in the table. */
export function fastest(
  request: LabRequest,
  known: readonly AlgorithmName[],
): { algorithm: AlgorithmName; timeUs: number } {
  const timed = known.map((algorithm) => ({ algorithm, timeUs: modelledUs({ ...request, algorithm }) }));
  return timed.reduce((best, next) => (next.timeUs < best.timeUs - 1e-9 ? next : best));
}

/**
 * The lengths at which the fastest algorithm changes for good. Chunks are of whole elements, so that close to such a length the winner may change to and
 * fro; what counts is the last change.
 */
function crossovers(request: LabRequest, known: readonly AlgorithmName[]): readonly LabCrossover[] {
  const kept = new Map<number, AlgorithmName>();
  const winner = (length: number): AlgorithmName => {
    const found = kept.get(length) ?? fastest({ ...request, length }, known).algorithm;
    kept.set(length, found);
    return found;
  };
  const unit = labLength({ ...request, length: 1 });
  const between = (low: number, high: number): readonly LabCrossover[] => {
    const [first, last] = [winner(low), winner(high)];
    if (first === last) return [];
    let [before, from] = [low, high];
    while (from - before > unit) {
      const middle = before + unit * Math.floor((from - before) / unit / 2);
      if (winner(middle) === last) from = middle;
      else before = middle;
    }
    for (let length = from + unit; length <= Math.min(high, from + FLUTTER * request.worldSize); length += unit)
      if (winner(length) !== last) from = length + unit;
    const below = winner(from - unit);
    return [...between(low, from - unit), crossover(request, from, below, last)];
  };
  const sizes = SIZES.map((length) => labLength({ ...request, length })).filter((s, i, all) => s !== all[i - 1]);
  return sizes.slice(1).flatMap((high, i) => between(at(sizes, i), high));
}

function crossover(request: LabRequest, length: number, below: AlgorithmName, above: AlgorithmName): LabCrossover {
  const side = (algorithm: AlgorithmName): LabSide => {
    const shape = { ...request, algorithm, length };
    const { rounds, bytesSent } = labProgram(shape).algorithm.cost(costRequest(shape));
    return { algorithm, rounds, bytes: Math.max(...bytesSent) };
  };
  return {
    bytes: 4 * length,
    timeUs: modelledUs({ ...request, algorithm: above, length }),
    below: side(below),
    above: side(above),
  };
}
