/**
 * Reads the facts about a collective from a span's args. The fields' names are torch's (torch/csrc/profiler/util.h,
 * from 2.4 on): NCCL's kernels have the fields of the record_param_comms that launched them; gloo's spans have only
 * their input's shape. Lockstep's own traces have other fields. Called for every span while a trace is read.
 */
import { lookup } from '../../base/lookup';
import type { RecordingRank } from '../recording';
import { collectiveKind, collectiveSpan } from './collective-names';

export interface CollectiveFacts {
  /**
   * torch's "Collective name" in torch.distributed's words; for gloo's spans from their names; undefined: not a
   * collective.
   */
  readonly kind: string | undefined;
  readonly elements: number;
  /** gloo records no output, so `elements` are the input's. */
  readonly isInputOnly: boolean;
  readonly dtype: string;
  readonly group: string;
  readonly groupDescription: string;
  readonly groupSize: number | undefined;
  readonly groupRanks: readonly RecordingRank[] | undefined;
  readonly sequence: number | undefined;
  /** The other rank of a send or receive. */
  readonly source: RecordingRank | undefined;
  readonly destination: RecordingRank | undefined;
  readonly lockstep: LockstepFacts | undefined;
}

/** The facts about an event in Lockstep's own traces (interop/chrome-trace). */
export interface LockstepFacts {
  readonly step: number;
  readonly rank: RecordingRank;
  readonly phase: string;
  readonly bytes: number;
  readonly bucket: number | undefined;
  readonly chunk: number | undefined;
  /** "allReduce", if a send or receive is part of one. */
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

/** A whole number from 0 on, with or without quotes. */
function count(args: Args, key: string): number | undefined {
  const value = lookup(args, key);
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function firstText(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value.find((item) => typeof item === 'string' && item !== '') : value;
  return typeof first === 'string' ? first : '';
}

/** A scalar has the shape [], and so has an argument that is not a tensor; the latter has no type. */
function inputElements(args: Args, dtype: string): number {
  const shapes = lookup(args, 'Input Dims');
  const [only, ...more] = Array.isArray(shapes) ? (shapes as unknown[]) : [];
  const isScalar = dtype !== '' && more.length === 0 && Array.isArray(only) && only.length === 0;
  return isScalar ? 1 : elementsOf(shapes);
}

/** The number of elements of a nested list of shapes: [[32, 64], [[3]]] has 2051. */
function elementsOf(shapes: unknown, depth = 0): number {
  if (!Array.isArray(shapes) || shapes.length === 0 || depth > 4) return 0;
  if (shapes.every((size) => typeof size === 'number')) return shapes.reduce((product, size) => product * size, 1);
  return shapes.reduce((sum: number, inner: unknown) => sum + elementsOf(inner, depth + 1), 0);
}

/**
 * Ranks from "[0, 1]" or a list. Kineto cuts long lists ("[0, 1, ...]"); then the ranks are unknown, unless they count
 * up from 0.
 */
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

/** Shared lists of ranks that count up from 0, by length, because thousands of events of a file have the same list. */
export type RankRuns = Map<number, readonly RecordingRank[]>;

/** The most ranks of a group; larger sizes are ignored as errors. */
const MOST_RANKS = 65_536;
