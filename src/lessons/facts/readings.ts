/** The longer functions with which quantities.ts reads a run: memory, rows, buffers, rounds. Pure. */
import type { CollectiveOp } from '../../protocol/collective';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { SessionInfo } from '../../protocol/session-info';
import type { LossRecord, MemoryCategory } from '../../protocol/trace';
import { contentsAt } from '../../trace/contents';
import { memoryOf, totalBytes } from '../../trace/memory';
import { momentsOf } from '../../trace/moments/moments';
import type { Facts } from './facts';

export const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

export const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);

/** The device that an argument names; cuda:0 without an argument. */
export const device = (argument: string): number => (argument === '' ? 0 : Number(argument));

/**
 * Rows of the batch, each counted once: the ranks of a tensor group read the same rows, and under model parallelism
 * only the first device reads rows.
 */
export const rowsOf = ({ config, roles, batchPerRank }: SessionInfo): number =>
  sum(batchPerRank.filter((_, index) => roles[index]?.hasRows ?? true)) / meshSizes(config).tp;

/** Number of elements of all parameters. */
export const elements = ({ info }: Facts): number | undefined =>
  info && sum(info.parameters.map(({ shape }) => shape.reduce((a, b) => a * b, 1)));

/** Bytes of one category of memory on a device, allocated once and for all. */
export const memoryFor =
  (category: MemoryCategory) =>
  ({ info }: Facts, argument: string): number | undefined =>
    info?.memory[device(argument)]?.byCategory[category];

/** The newest loss record, or the record of a step, counted from 1. */
export const record = ({ app }: Facts, argument: string): LossRecord | undefined =>
  argument === '' ? app.losses.at(-1) : app.losses.findLast(({ step }) => step === Number(argument) - 1);

/** Bytes of live tensors on a device while an event runs; -1: before the step. */
export const liveAt = ({ trace, info }: Facts, argument: string, event: number | undefined): number | undefined =>
  trace && info && event !== undefined
    ? totalBytes(memoryOf(trace, info.buffers).at(device(argument), event))
    : undefined;

/** The moment at which a device holds the most bytes, counted from 1; 0: before the first moment. */
export function fullestMoment({ trace, info }: Facts, argument: string): number | undefined {
  if (!trace || !info) return undefined;
  const { event } = memoryOf(trace, info.buffers).peak(device(argument));
  return 1 + momentsOf(trace).findIndex(({ events }) => events.includes(event));
}

/** Modelled time that a device computes in a phase: `phaseTime:backward`. */
export const phaseTime = ({ trace }: Facts, argument: string): number | undefined => {
  const phase = argument || 'forward';
  const own = trace?.events.map(({ device, kind, phase: of }, index) =>
    device === 0 && kind === 'compute' && of === phase ? (trace.modelled[index]?.durUs ?? 0) : 0,
  );
  return own && sum(own);
};

/** Numbers of the rows that a device has in the step at the cursor; without an argument, the rows of all devices. */
export const rowsIn = ({ trace }: Facts, argument: string): readonly number[] | undefined =>
  trace && (argument === '' ? trace.samples.flat() : trace.samples[Number(argument)]);

/** Collectives of one kind in the step, each counted once, whatever its group. */
export const collectivesOf =
  (op: CollectiveOp) =>
  ({ trace }: Facts): number | undefined => {
    const refs = trace?.events.flatMap(({ collective }) => (collective?.op === op ? [collective] : []));
    return refs && new Set(refs.map(({ group, seq }) => `${group?.ranks.join() ?? ''} ${seq}`)).size;
  };

/** A buffer's values on each rank at the cursor, if they are known. */
export function buffersAt({ trace, app }: Facts, buffer: string): readonly (Float32Array | undefined)[] {
  if (!trace || !app.cursor) return [];
  const contents = contentsAt(trace, app.cursor.event);
  return trace.samples.map((_, rank) => contents.get(rank)?.get(buffer)?.values);
}

/** The largest difference between an element on one rank and the same element on another. */
export function spread(facts: Facts, buffer: string): number | undefined {
  const own = buffersAt(facts, buffer);
  const known = own.filter((values) => values !== undefined);
  const [first] = known;
  if (!first || known.length < own.length) return undefined;
  const differences = Array.from(first, (_, i) => {
    const elements = known.map((values) => values[i] ?? 0);
    return Math.max(...elements) - Math.min(...elements);
  });
  return most(differences);
}

export const different = (rows: readonly number[]): number => new Set(rows).size;

export const roundsOf = ({ trace, lab }: Facts): number | undefined =>
  lab ? lab.rounds.length : trace && momentsOf(trace).filter(({ kind }) => kind === 'round').length;

export const sends = ({ trace, lab }: Facts): number | undefined =>
  lab
    ? sum(lab.rounds.map(({ transfers }) => transfers.length))
    : trace?.events.filter(({ kind }) => kind === 'send').length;

/**
 * Bytes that all ranks together send along one axis of a mesh in the step. Messages between stages belong to no
 * collective. Undefined if a collective is one of all ranks, since the default group has no axis.
 */
export function bytesAlong({ trace }: Facts, argument: string): number | undefined {
  const sent = trace?.events.filter(({ kind }) => kind === 'send');
  if (!sent || sent.some(({ collective }) => collective && !collective.group)) return undefined;
  const axis = argument === 'dp' ? 'dpReplicate' : argument;
  const own = sent.filter(({ collective }) => (collective ? collective.group?.axis : 'pp') === axis);
  return sum(own.map(({ bytes }) => bytes));
}

/** Node of a device: in modes with one process, all are on its node. */
const nodeIn =
  ({ environment }: SessionInfo) =>
  (of: number): number =>
    environment[of]?.GROUP_RANK ?? environment[0]?.GROUP_RANK ?? 0;

export function bytesBetweenNodes({ info, trace, lab }: Facts): number | undefined {
  if (lab) {
    const { nodeOf, rounds } = lab;
    const messages = rounds.flatMap(({ transfers }) => transfers);
    return sum(messages.map(({ from, to, bytes }) => (nodeOf[from] === nodeOf[to] ? 0 : bytes)));
  }
  if (!info || !trace) return undefined;
  const node = nodeIn(info);
  const sent = trace.events.filter(
    ({ kind, device, peer }) => kind === 'send' && node(device) !== node(peer ?? device),
  );
  return sum(sent.map(({ bytes }) => bytes));
}
