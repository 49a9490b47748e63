/**
 * Bytes, speed and memory of two reports side by side, with explanations. There is no bar for them: only bytes must be
 * equal in the same run. Called by compare-reports.ts.
 */
import { firstFew } from '../base/brief';
import type { AnyReport } from './any-report';
import { greatest } from './tolerances';

export interface ComparedFigure {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  /** The meaning of the numbers, and whether they may differ in the same run. */
  readonly meaning: string;
  /** Whether the numbers are equal; only for numbers that must be. */
  readonly same?: boolean;
}

export function compareFigures(a: AnyReport, b: AnyReport): readonly ComparedFigure[] {
  return [...payload(a, b), ...speed(a, b), ...memory(a, b), ...pipeline(a, b)];
}

function payload(a: AnyReport, b: AnyReport): readonly ComparedFigure[] {
  if (!a.payload || !b.payload) return [];
  const kinds = [...new Set([...a.payload.keys(), ...b.payload.keys()])].sort();
  return kinds.map((kind) => {
    const [ofA, ofB] = [a.payload?.get(kind), b.payload?.get(kind)];
    return {
      what: `${kind}, per step`,
      a: bytes(ofA),
      b: bytes(ofB),
      meaning: 'bytes that rank 0 passes to the collectives of a step; two reports of one run agree if both count them',
      ...(ofA === undefined || ofB === undefined ? {} : { same: ofA === ofB }),
    };
  });
}

function speed(a: AnyReport, b: AnyReport): readonly ComparedFigure[] {
  if (a.stepsPerSecond === undefined && b.stepsPerSecond === undefined) return [];
  const words = (value: number | undefined): string =>
    value === undefined ? 'not in the report' : value.toPrecision(4);
  return [
    {
      what: 'steps per second',
      a: words(a.stepsPerSecond),
      b: words(b.stepsPerSecond),
      meaning: 'measured, each on its own machine: this compares machines, not runs',
    },
  ];
}

function memory(a: AnyReport, b: AnyReport): readonly ComparedFigure[] {
  if (!a.memory?.length && !b.memory?.length) return [];
  const words = (peaks: readonly number[] | undefined): string =>
    peaks === undefined || peaks.length === 0 ? 'not in the report' : bytes(greatest(peaks));
  return [
    {
      what: 'memory, fullest device',
      a: words(a.memory),
      b: words(b.memory),
      meaning: 'peak; Lockstep counts its plan, PyTorch’s allocator adds a reserve, so the numbers differ',
    },
  ];
}

/** The same schedule has the same numbers, but two runs may be the same under different schedules. */
function pipeline(a: AnyReport, b: AnyReport): readonly ComparedFigure[] {
  if (!a.pipeline && !b.pipeline) return [];
  const bubble = ({ pipeline: own }: AnyReport): string =>
    own?.bubble === undefined ? 'not in the report' : `${(100 * own.bubble).toFixed(2)} %`;
  const peaks = ({ pipeline: own }: AnyReport): string =>
    own?.peaks.length ? firstFew(own.peaks.map(String), 16, ' ') : 'not in the report';
  return [
    {
      what: 'bubble of the schedule',
      a: bubble(a),
      b: bubble(b),
      meaning:
        'share of the ranks’ time in which they are idle, counted from the order alone: forward 1, backward 2, messages 0',
    },
    {
      what: 'activations kept at once, by rank',
      a: peaks(a),
      b: peaks(b),
      meaning: 'largest number of micro-batches whose activations a rank keeps in a stage; follows from the schedule',
    },
  ];
}

const bytes = (value: number | undefined): string =>
  value === undefined ? 'not in the report' : `${value.toLocaleString('en')} B`;
