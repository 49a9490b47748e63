/**
 * What a span's args say of a collective. Names of the fields are torch's (torch/csrc/profiler/util.h, from 2.4 on):
 * NCCL's kernels carry those of the record_param_comms that launched them; gloo's spans have their input's shape only.
 * Lockstep's own traces have others. Called for every span while a trace is read.
 */
import { lookup } from '../../base/lookup';
import type { RecordingRank } from '../recording';
import { collectiveKind, collectiveSpan } from './collective-names';

export interface CollectiveFacts {
  /** torch: "Collective name" in torch.distributed's words; of gloo's spans from their name; undefined: none. */
  readonly kind: string | undefined;
  readonly elements: number;
  /** gloo names no output: `elements` are those of the input. */
  readonly isInputOnly: boolean;
  readonly dtype: string;
  readonly group: string;
  readonly groupDescription: string;
  readonly groupSize: number | undefined;
  readonly groupRanks: readonly RecordingRank[] | undefined;
  readonly sequence: number | undefined;
  /** Of send and receive. */
  readonly source: RecordingRank | undefined;
  readonly destination: RecordingRank | undefined;
  readonly lockstep: LockstepFacts | undefined;
}

/** What Lockstep's own traces (interop/chrome-trace) say of an event. */
export interface LockstepFacts {
  readonly step: number;
  readonly rank: RecordingRank;
  readonly phase: string;
  readonly bytes: number;
  readonly bucket: number | undefined;
  readonly chunk: number | undefined;
  /** "allReduce": of a send or receive that is part of one. */
  readonly collective: string | undefined;
}

type Args = Readonly<Record<string, unknown>>;

export function factsOf(name: string, args: Args, runs: RankRuns): CollectiveFacts | undefined {
  const lockstep = lockstepFacts(args);
  const called = textOf(args, 'Collective name');
  const fromName = collectiveSpan(name);
  if (called === '' && fromName === undefined && !lockstep) return undefined;
  const own = lockstep?.collective;
  const kind = called !== '' ? collectiveKind(called) : own === undefined ? fromName : collectiveKind(own);
  const elements = Math.max(count(args, 'In msg nelems') ?? 0, count(args, 'Out msg nelems') ?? 0);
  const groupSize = count(args, 'Group size');
  const dtype = (textOf(args, 'dtype') || firstText(lookup(args, 'Input type'))).toLowerCase();
  return {
    kind,
    elements: elements > 0 ? elements : inputElements(args, dtype),
    isInputOnly: elements === 0,
    dtype,
    group: textOf(args, 'Process Group Name'),
    groupDescription: textOf(args, 'Process Group Description'),
    groupSize,
    groupRanks: ranksOf(lookup(args, 'Process Group Ranks'), groupSize, runs),
    sequence: count(args, 'Seq'),
    source: count(args, 'Src Rank'),
    destination: count(args, 'Dst Rank'),
    lockstep,
  };
}

function lockstepFacts(args: Args): LockstepFacts | undefined {
  const [step, rank] = [count(args, 'step'), count(args, 'rank')];
  const phase = textOf(args, 'phase');
  if (step === undefined || rank === undefined || phase === '') return undefined;
  const collective = textOf(args, 'collective');
  return {
    step,
    rank,
    phase,
    bytes: count(args, 'bytes') ?? 0,
    bucket: count(args, 'bucket'),
    chunk: count(args, 'chunk'),
    collective: collective === '' ? undefined : collective,
  };
}

function textOf(args: Args, key: string): string {
  const value = lookup(args, key);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** A whole number from 0 on, also one in quotes. */
function count(args: Args, key: string): number | undefined {
  const value = lookup(args, key);
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function firstText(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value.find((item) => typeof item === 'string' && item !== '') : value;
  return typeof first === 'string' ? first : '';
}

/** A scalar has the shape [], as has what is no tensor; that has no type either. */
function inputElements(args: Args, dtype: string): number {
  const shapes = lookup(args, 'Input Dims');
  const [only, ...more] = Array.isArray(shapes) ? (shapes as unknown[]) : [];
  const isScalar = dtype !== '' && more.length === 0 && Array.isArray(only) && only.length === 0;
  return isScalar ? 1 : elementsOf(shapes);
}

/** Elements of a list of shapes, as deep as it may be: [[32, 64], [[3]]] has 2051. */
function elementsOf(shapes: unknown, depth = 0): number {
  if (!Array.isArray(shapes) || shapes.length === 0 || depth > 4) return 0;
  if (shapes.every((size) => typeof size === 'number')) return shapes.reduce((product, size) => product * size, 1);
  return shapes.reduce((sum: number, inner: unknown) => sum + elementsOf(inner, depth + 1), 0);
}

/** "[0, 1]", also as a list. Kineto cuts long lists ("[0, 1, ...]"): unknown then, unless it counts up from 0. */
export function ranksOf(
  value: unknown,
  size: number | undefined,
  runs: RankRuns = new Map(),
): readonly RecordingRank[] | undefined {
  if (Array.isArray(value))
    return value.every((rank) => Number.isSafeInteger(rank)) ? (value as RecordingRank[]) : undefined;
  if (typeof value !== 'string' || !/^\[[\d, .]*\]$/.test(value)) return undefined;
  const ranks = value.match(/\d+/g)?.map(Number) ?? [];
  if (!value.includes('...')) return ranks;
  const isRun = ranks.every((rank, index) => rank === index);
  if (!isRun || size === undefined || size > MOST_RANKS) return undefined;
  const known = runs.get(size) ?? Array.from({ length: size }, (_, rank) => rank);
  runs.set(size, known);
  return known;
}

/** Lists of ranks that count up from 0, by their length: thousands of events of a file name the same one. */
export type RankRuns = Map<number, readonly RecordingRank[]>;

/** A group that is said to be larger is not believed. */
const MOST_RANKS = 65_536;
