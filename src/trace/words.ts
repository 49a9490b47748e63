/**
 * The names that sentences use: a device as the mode's users call it ('rank 2' if each device has a process, 'worker 2'
 * beside a server, otherwise 'cuda:2'), a buffer, a kernel, a layer. PyTorch's words, no invented ones. Pure; called by
 * idle.ts, sentence.ts and the views.
 */

import { lookup } from '../base/lookup';
import { plural } from '../base/plural';
import type { DeviceIndex, StepTrace, TraceEvent } from '../protocol/trace';

/** Whether each device has its own process, as under DDP. */
export const hasRanks = (trace: StepTrace): boolean => trace.events.some((e) => e.rank !== 0);

/** Whether one process drives a server and its workers. */
export const hasServer = ({ events }: StepTrace): boolean =>
  events.some(({ anchor }) => anchor === 'pull' || anchor === 'push');

export function deviceName(trace: StepTrace, device: DeviceIndex): string {
  if (hasServer(trace)) return device === 0 ? 'the server' : `worker ${device}`;
  return hasRanks(trace) ? `rank ${device}` : `cuda:${device}`;
}

const LAYERS: Readonly<Record<string, string>> = {
  linear: 'Linear',
  relu: 'ReLU',
  tanh: 'Tanh',
  sigmoid: 'Sigmoid',
  gelu: 'GELU',
  softmax: 'Softmax',
  'log-softmax': 'LogSoftmax',
  'leaky-relu': 'LeakyReLU',
  elu: 'ELU',
  silu: 'SiLU',
  softplus: 'Softplus',
  dropout: 'Dropout',
  conv2d: 'convolution',
  'conv-transpose2d': 'transposed convolution',
  'max-pool2d': 'max pooling',
  'avg-pool2d': 'average pooling',
  'adaptive-avg-pool2d': 'average pooling',
  'batch-norm-stats': 'batch norm statistics',
  'batch-norm': 'batch norm',
  'batch-norm-eval': 'batch norm',
  'layer-norm': 'layer norm',
  'group-norm': 'group norm',
  embedding: 'embedding',
  attention: 'attention',
  'self-attention': 'attention',
  'linear-backward': 'Linear and its activation',
  'linear-backward-params': 'Linear and its activation',
  'element-loss': 'loss',
  add: 'sum',
  reshape: 'Flatten',
  permute: 'permutation',
};
const LOSSES: Readonly<Record<string, string>> = {
  mse: 'MSELoss',
  'cross-entropy': 'CrossEntropyLoss',
  'bce-with-logits': 'BCEWithLogitsLoss',
  bce: 'BCELoss',
  l1: 'L1Loss',
  'smooth-l1': 'SmoothL1Loss',
  huber: 'HuberLoss',
  nll: 'NLLLoss',
  'parallel-max': 'CrossEntropyLoss',
  'parallel-sums': 'CrossEntropyLoss',
  'parallel-loss': 'CrossEntropyLoss',
};
/** Names of the copies around a collective over pieces of a tensor. */
const PARTITION: Readonly<Record<string, string>> = {
  pad: 'padded to the longest piece',
  trim: 'without the padding',
  join: 'pieces of all ranks joined',
  blocks: 'cut into a piece per rank',
  place: 'the rank’s piece, zeros elsewhere',
  own: 'the rank’s own piece',
  first: 'counted on one rank only',
};
/**
 * 'Linear' for ops/linear and ops/linear-grad-params, 'MSELoss' for loss/mse; the kernel's own name if PyTorch has
 * none.
 */
export function kernelWords(name: string): string {
  const base = name.slice(name.indexOf('/') + 1).replace(/-grad(-.*)?$/, '');
  if (name === 'optim/grad-norm' || name === 'optim/clip-grad-norm') return 'clip_grad_norm_()';
  if (name === 'optim/clip-grad-value') return 'clip_grad_value_()';
  if (name === 'optim/accumulate-grad') return 'AccumulateGrad';
  if (name.startsWith('optim/')) return 'optimizer.step()';
  if (name.startsWith('partition/')) return lookup(PARTITION, base) ?? base;
  return lookup(LAYERS, base) ?? lookup(LOSSES, base) ?? base;
}

/** 'layer 2' in a Sequential, 'blocks.0.fc1' where modules have names. */
export const moduleWords = (module: string): string => (/^\d+$/.test(module) ? `layer ${module}` : module);

/** 'layer 2 (Linear)', 'blocks.0 (attention)'; an event without a module has its operator's name. */
export const layerWords = (e: TraceEvent): string =>
  e.module === ''
    ? `the ${kernelWords(e.name)}`
    : `${moduleWords(e.module)} (${e.name.startsWith('ops/add') ? 'residual sum' : kernelWords(e.name)})`;

/**
 * The contents of a flat buffer (coalesced broadcasts and sums): '6 parameters as one flat tensor'; undefined: the
 * buffer is not flat.
 */
export function pieceWords(trace: StepTrace, buffer: string): string | undefined {
  const [, noun] = /^flat\.(parameter|buffer|gradient)s\.\d+$/.exec(buffer) ?? [];
  if (noun === undefined) return undefined;
  const flatten = trace.events.find((e) => e.name === 'comm/flatten' && e.writes.includes(buffer));
  return `${plural(flatten?.reads.length ?? 0, noun)} as one flat tensor`;
}
