/**
 * The algorithms that know a collective, timed on the lab's links over buffer sizes and over world sizes, and where the
 * request's own changes places with another. Each point is an event simulation of the Program that the algorithm emits;
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

/** Elements for each rank, beyond which chunks of whole elements change no order any more. */
const FLUTTER = 4;
/** Times that differ by less, relatively, are the same. */
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

/** Modelled times that have been asked for already. */
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

/** Of two the faster; of those within a thousandth of each other the first. */
const faster = (timed: Timed, [a, b]: Pair, length: number): AlgorithmName =>
  timed(b, length) < timed(a, length) * (1 - ALIKE) ? b : a;

/**
 * The lengths at which the faster of two changes for good. Chunks are of whole elements, so that close to such a length
 * it may change to and fro; what counts is the last change.
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
    // In larger buffers a chunk that is an element longer is within ALIKE.
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
