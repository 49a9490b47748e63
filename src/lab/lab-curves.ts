/**
 * The modelled times of all algorithms for a collective, on the lab's links, over buffer sizes and world sizes, and the
 * crossovers of the requested algorithm with others. Each point is an event simulation of the algorithm's Program;
 * nothing is allocated or run. Called by session.ts.
 */
import { at } from '../base/invariant';
import { algorithmFor } from '../collectives/algorithms';
import type { AlgorithmName } from '../protocol/collective';
import { LIMITS } from '../protocol/config';
import type { LabCrossover, LabCurve, LabCurves, LabRequest, LabSide } from '../protocol/lab';
import { modelledStep } from '../simulator/simulate';
import { bytesOf } from '../tensor/shape';
import { labHardware } from './lab-hardware';
import { checkRequest, costRequest, knownAlgorithms, labDtype, labLength, labProgram } from './lab-program';

/** Elements per rank above which the rounding of chunks to whole elements no longer changes the order. */
const FLUTTER = 4;
/** Times with a smaller relative difference count as equal. */
export const ALIKE = 1e-3;

type Pair = readonly [AlgorithmName, AlgorithmName];

/** 4 B to 256 MiB. */
const SIZES = Array.from({ length: 27 }, (_, power) => 2 ** power);

export function labCurves(request: LabRequest): LabCurves {
  checkRequest({ ...request, length: 0 });
  const known = knownAlgorithms(request.op);
  const overBytes = known.map((algorithm) => ({
    algorithm,
    points: SIZES.map((length) => pointOf({ ...request, algorithm, length })),
  }));
  const worlds = Array.from({ length: LIMITS.collective - 1 }, (_, i) => i + 2);
  const overRanks = known.map((algorithm) => ({
    algorithm,
    points: worlds.map((worldSize) =>
      pointOf({ ...request, algorithm, worldSize, root: Math.min(request.root, worldSize - 1) }),
    ),
  }));
  const chosen = algorithmFor(request.algorithm, request.op).name;
  const timed = remembering(request);
  const others = request.worldSize < 2 ? [] : known.filter((algorithm) => algorithm !== chosen);
  return { overBytes, overRanks, crossovers: others.flatMap((other) => crossovers(request, timed, [chosen, other])) };
}

function pointOf(request: LabRequest): LabCurve['points'][number] {
  return { worldSize: request.worldSize, bytes: costRequest(request).bytes, timeUs: modelledUs(request) };
}

export function modelledUs(request: LabRequest): number {
  return modelledStep(labProgram(request).program, labHardware(request)).stepUs;
}

/** The modelled time; each time is computed once. */
type Timed = (algorithm: AlgorithmName, length: number) => number;

function remembering(request: LabRequest): Timed {
  const kept = new Map<string, number>();
  return (algorithm, length) => {
    const key = `${algorithm} ${length}`;
    const us = kept.get(key) ?? modelledUs({ ...request, algorithm, length });
    kept.set(key, us);
    return us;
  };
}

/** The faster of two algorithms; if they differ by less than a thousandth, the first. */
const faster = (timed: Timed, [a, b]: Pair, length: number): AlgorithmName =>
  timed(b, length) < timed(a, length) * (1 - ALIKE) ? b : a;

/**
 * The lengths at which the faster of two algorithms changes permanently. Because chunks have whole elements, the order
 * may change several times close to such a length; the last change counts.
 */
function crossovers(request: LabRequest, timed: Timed, pair: Pair): readonly LabCrossover[] {
  const winner = (length: number) => faster(timed, pair, length);
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
    // In larger buffers, one more element in a chunk changes the time by less than ALIKE.
    const flutters = from * ALIKE < FLUTTER * request.worldSize ? FLUTTER * request.worldSize * unit : 0;
    const until = Math.min(high - unit, from + flutters);
    for (let length = from + unit; length <= until; length += unit) if (winner(length) !== last) from = length + unit;
    return [...between(low, from - unit), crossover(request, timed, from, [winner(from - unit), last])];
  };
  const sizes = SIZES.map((length) => labLength({ ...request, length })).filter((s, i, all) => s !== all[i - 1]);
  return sizes.slice(1).flatMap((high, i) => between(at(sizes, i), high));
}

function crossover(request: LabRequest, timed: Timed, length: number, [below, above]: Pair): LabCrossover {
  const side = (algorithm: AlgorithmName): LabSide => {
    const shape = { ...request, algorithm, length };
    const { rounds, bytesSent } = labProgram(shape).algorithm.cost(costRequest(shape));
    return { algorithm, rounds, bytes: Math.max(...bytesSent) };
  };
  return {
    bytes: bytesOf(labDtype(request)) * length,
    timeUs: timed(above, length),
    below: side(below),
    above: side(above),
  };
}
