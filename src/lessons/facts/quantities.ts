/**
 * The quantities for the text of lessons: numbers read from a figure's run. Prose and formulas use them by name
 * (`<Value of="bytesPerRank" figure="ring" />`); some take an argument behind a colon: `peakMemory:0` of cuda:0. An
 * unknown name, or a quantity that the run does not have, fails the build.
 */
import { momentsOf } from '../../trace/moments/moments';
import type { Facts } from './facts';
import { MEMORY_QUANTITIES } from './memory-quantities';
import { PIPELINE_QUANTITIES } from './pipeline-quantities';
import { PRECISION_QUANTITIES } from './precision-quantities';
import type { Quantity } from './quantity';
import {
  buffersAt,
  bytesAlong,
  bytesBetweenNodes,
  collectivesOf,
  device,
  different,
  elements,
  most,
  phaseTime,
  record,
  roundsOf,
  rowsIn,
  rowsOf,
  sends,
  spread,
  sum,
} from './readings';
import type { Format } from './write';

export const QUANTITIES = {
  ranks: { label: 'ranks', format: 'count', of: ({ info, lab }) => lab?.request.worldSize ?? info?.ranks },
  devices: { label: 'devices', format: 'count', of: ({ info }) => info?.worldSize },
  nodes: {
    label: 'nodes',
    format: 'count',
    of: ({ info, lab }) => lab?.request.nodes ?? (info && new Set(info.environment.map((one) => one.GROUP_RANK)).size),
  },
  /** LOCAL_RANK of a rank's process, as torchrun sets it: `localRank:3`. */
  localRank: {
    label: 'LOCAL_RANK',
    format: 'count',
    of: ({ info }, argument) => info?.environment[device(argument)]?.LOCAL_RANK,
  },
  groupRank: {
    label: 'GROUP_RANK, its node',
    format: 'count',
    of: ({ info }, argument) => info?.environment[device(argument)]?.GROUP_RANK,
  },
  localWorldSize: {
    label: 'LOCAL_WORLD_SIZE',
    format: 'count',
    of: ({ info }) => info?.environment[0]?.LOCAL_WORLD_SIZE,
  },
  step: { label: 'step', format: 'count', of: ({ trace }) => trace && trace.step + 1 },
  stepsDone: { label: 'steps of training', format: 'count', of: ({ app }) => app.losses.length },
  rowsPerRank: {
    label: 'rows per rank and micro-batch',
    format: 'count',
    of: ({ info }, argument) => info?.batchPerRank[device(argument)],
  },
  effectiveBatch: {
    label: 'rows per optimiser step',
    format: 'count',
    of: ({ info }) => info && rowsOf(info) * info.config.accumulate,
  },
  rows: { label: 'rows of data', format: 'count', of: ({ info }) => info?.dataset.rows },
  rowsRead: {
    label: 'rows read in the step',
    format: 'count',
    of: (facts, argument) => rowsIn(facts, argument)?.length,
  },
  differentRows: {
    label: 'different rows in the step',
    format: 'count',
    of: (facts, argument) => {
      const rows = rowsIn(facts, argument);
      return rows && different(rows);
    },
  },
  /** Counts only the steps that the page keeps: it keeps the first three of a run. */
  rowsSeen: {
    label: 'different rows read so far',
    format: 'count',
    of: ({ app }, argument) => different(app.traces.flatMap(({ samples }) => samples[device(argument)] ?? [])),
  },
  /** `:3.2`: the number in the data set of the third row that rank 3 reads in the step. */
  rowNumber: {
    label: 'row of the data set',
    format: 'plain',
    of: ({ trace }, argument) => {
      const [rank, place] = argument.split('.', 2).map(Number);
      return trace?.samples[rank ?? 0]?.[place ?? 0];
    },
  },
  batchesPerEpoch: { label: 'micro-batches per epoch', format: 'count', of: ({ info }) => info?.batchesPerEpoch },
  accumulate: { label: 'micro-batches per step', format: 'count', of: ({ info }) => info?.config.accumulate },
  learningRate: { label: 'learning rate', format: 'plain', of: ({ info }) => info?.config.optimizer.lr },
  parameters: { label: 'parameters', format: 'count', of: elements },
  /** S of the formulas: one gradient per parameter, 4 bytes each. */
  gradientBytes: {
    label: 'gradients, S',
    format: 'bytes',
    of: (facts) => {
      if (facts.lab) return 4 * facts.lab.length;
      const count = elements(facts);
      return count === undefined ? undefined : 4 * count;
    },
  },
  /** Without an argument, the largest value of all ranks; `:0`: of cuda:0. */
  bytesPerRank: {
    label: 'bytes that a rank sends',
    format: 'bytes',
    of: ({ lab, metrics }, argument) => {
      const sent = lab?.bytesSent ?? metrics?.traffic.sent;
      return sent && (argument === '' ? most(sent) : sent[Number(argument)]);
    },
  },
  bytesReceived: {
    label: 'bytes that a device receives',
    format: 'bytes',
    of: ({ metrics }, argument) => metrics?.traffic.received[device(argument)],
  },
  bytesInAll: {
    label: 'bytes sent by all',
    format: 'bytes',
    of: ({ lab, metrics }) => (lab ? sum(lab.bytesSent) : metrics?.traffic.total),
  },
  bytesBetweenNodes: { label: 'bytes sent between nodes', format: 'bytes', of: bytesBetweenNodes },
  /** Of a mesh with several axes: `bytesAlong:tp`, `bytesAlong:dp`, `bytesAlong:pp`. */
  bytesAlong: { label: 'bytes sent', format: 'bytes', of: bytesAlong },
  messages: { label: 'messages', format: 'count', of: sends },
  rounds: { label: 'rounds', format: 'count', of: roundsOf },
  moments: { label: 'moments', format: 'count', of: ({ trace }) => trace && momentsOf(trace).length },
  kernels: {
    label: 'kernels',
    format: 'count',
    of: ({ trace }) => trace?.events.filter(({ kind }) => kind === 'compute').length,
  },
  flops: {
    label: 'floating-point operations',
    format: 'count',
    of: ({ trace }) => trace && sum(trace.events.map(({ flops }) => flops)),
  },
  events: { label: 'events', format: 'count', of: ({ trace }) => trace?.events.length },
  stepTime: {
    label: 'time of a step, modelled',
    format: 'time',
    of: ({ lab, metrics }) => lab?.modelledUs ?? metrics?.stepUs,
  },
  computeTime: {
    label: 'time computing',
    format: 'time',
    of: ({ metrics }, argument) => metrics?.use[device(argument)]?.computeUs,
  },
  commTime: {
    label: 'time communicating',
    format: 'time',
    of: ({ metrics }, argument) => metrics?.use[device(argument)]?.commUs,
  },
  exposedTime: {
    label: 'time waiting for communication',
    format: 'time',
    of: ({ metrics }, argument) => metrics?.use[device(argument)]?.exposedUs,
  },
  hidden: { label: 'communication hidden', format: 'percent', of: ({ metrics }) => metrics?.overlap },
  /** Without an argument, the mean over the devices. */
  idle: {
    label: 'idle',
    format: 'percent',
    of: ({ metrics }, argument) => (argument === '' ? metrics?.idle : metrics?.use[Number(argument)]?.idle),
  },
  computing: {
    label: 'computing',
    format: 'percent',
    of: ({ metrics }, argument) => {
      const use = metrics?.use[device(argument)];
      return use && use.computeUs / use.totalUs;
    },
  },
  /** Rows of the data set that pass through in a second of the modelled clock. */
  rowsPerSecond: {
    label: 'rows per second, modelled',
    format: 'count',
    // Both the metrics and the rows are of one micro-batch.
    of: ({ info, metrics }) => info && metrics && Math.round((1e6 * rowsOf(info)) / metrics.stepUs),
  },
  /** Time that cuda:0 computes in a phase: `phaseTime:backward`. */
  phaseTime: { label: 'time computing', format: 'time', of: phaseTime },
  ...MEMORY_QUANTITIES,
  /** Number of buckets, after DDP's rebuild if it rebuilds them. */
  buckets: {
    label: 'buckets',
    format: 'count',
    of: ({ info }) => (info?.buckets?.rebuilt ?? info?.buckets?.initial)?.length,
  },
  bucketBytes: {
    label: 'bytes of a bucket',
    format: 'bytes',
    of: ({ info }, argument) => (info?.buckets?.rebuilt ?? info?.buckets?.initial)?.[device(argument)]?.bytes,
  },
  /** The newest loss; `:40`: the loss of step 40. */
  loss: { label: 'loss', format: 'loss', of: (facts, argument) => record(facts, argument)?.loss },
  /** The loss over a rank's own samples in the newest step. */
  lossOfRank: {
    label: 'loss of a rank',
    format: 'loss',
    of: ({ app }, argument) => app.losses.at(-1)?.perRank[device(argument)],
  },
  trainLoss: { label: 'loss over all rows', format: 'loss', of: ({ app }) => app.snapshot?.trainLoss },
  testLoss: { label: 'loss over the test rows', format: 'loss', of: ({ app }) => app.snapshot?.testLoss },
  accuracy: { label: 'rows answered right', format: 'percent', of: ({ app }) => app.snapshot?.trainAccuracy },
  testAccuracy: { label: 'test rows answered right', format: 'percent', of: ({ app }) => app.snapshot?.testAccuracy },
  /** 0: all replicas have the same bits. */
  divergence: {
    label: 'largest difference between replicas',
    format: 'small',
    of: ({ app }) => app.snapshot?.replicaDivergence,
  },
  difference: {
    label: 'largest difference from one device',
    format: 'small',
    of: ({ app }) => app.snapshot?.differenceFromSingle,
  },
  /** `:1.running_mean`: 0 if this buffer is equal on all ranks at the cursor. */
  spread: { label: 'largest difference between ranks', format: 'small', of: spread },
  /** `:2/1.running_mean/0`: the first element of this buffer on rank 2, at the cursor. */
  element: {
    label: 'element',
    format: 'loss',
    of: (facts, argument) => {
      const [rank = '', buffer = '', index = ''] = argument.split('/', 3);
      return buffersAt(facts, buffer)[Number(rank)]?.[Number(index)];
    },
  },
  allReduces: { label: 'all-reduces', format: 'count', of: collectivesOf('allReduce') },
  allGathers: { label: 'all-gathers', format: 'count', of: collectivesOf('allGather') },
  reduceScatters: { label: 'reduce-scatters', format: 'count', of: collectivesOf('reduceScatter') },
  ...PIPELINE_QUANTITIES,
  ...PRECISION_QUANTITIES,
  labRound: { label: 'round', format: 'count', of: ({ lab, round }) => lab && round },
} satisfies Readonly<Record<string, Quantity>>;

export type QuantityId = keyof typeof QUANTITIES;

const isQuantity = (name: string): name is QuantityId => Object.hasOwn(QUANTITIES, name);

/** Splits `peakMemory:0` into quantity and argument; undefined if no quantity has this name. */
export function quantityOf(text: string): { readonly id: QuantityId; readonly argument: string } | undefined {
  const [name = '', argument = ''] = text.split(':', 2);
  return isQuantity(name) ? { id: name, argument } : undefined;
}

/** Undefined if no quantity has this name, or if the run lacks it. */
export function measure(facts: Facts, text: string): number | undefined {
  const asked = quantityOf(text);
  if (!asked) return undefined;
  const quantity: Quantity = QUANTITIES[asked.id];
  const value = quantity.of(facts, asked.argument);
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

export const formatOf = (text: string): Format => {
  const asked = quantityOf(text);
  return asked ? QUANTITIES[asked.id].format : 'plain';
};
