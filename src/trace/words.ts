/**
 * The names that sentences use: a device as the mode's users call it ('rank 2' where each device has a process, else 'cuda:2'), a buffer, a kernel, a
 * layer. PyTorch's words, no invented ones. Pure; called by idle.ts, sentence.ts and the views.
 */
import type { DeviceIndex, StepTrace, TraceEvent } from '../protocol/trace';

/** Each device has a process of its own, as under DDP. */
export const hasRanks = (trace: StepTrace): boolean => trace.events.some((e) => e.rank !== 0);

export const deviceName = (trace: StepTrace, device: DeviceIndex): string =>
  hasRanks(trace) ? `rank ${device}` : `cuda:${device}`;

/** '3.out' is the output of module 3; parameters and their gradients keep their state_dict names. */
export function bufferWords(buffer: string): string {
  const bucket = /^bucket(\d+)$/.exec(buffer)?.[1];
  if (bucket !== undefined) return `bucket ${bucket}`;
  return buffer.replace(/^bucket(\d+)/, 'bucket $1');
}

const LAYERS: Readonly<Record<string, string>> = {
  linear: 'Linear',
  relu: 'ReLU',
  tanh: 'Tanh',
  sigmoid: 'Sigmoid',
  gelu: 'GELU',
  softmax: 'Softmax',
  'log-softmax': 'LogSoftmax',
};
const LOSSES: Readonly<Record<string, string>> = {
  mse: 'MSELoss',
  'cross-entropy': 'CrossEntropyLoss',
  'bce-with-logits': 'BCEWithLogitsLoss',
};
const OPTIMIZERS: readonly (readonly [prefix: string, name: string])[] = [
  ['optim/adamw', 'AdamW'],
  ['optim/adam', 'Adam'],
  ['optim/sgd', 'SGD'],
];

/** 'Linear' for ops/linear and ops/linear-grad-params, 'SGD' for optim/sgd-momentum; the kernel's own name where PyTorch has none. */
export function kernelWords(name: string): string {
  const base = name.slice(name.indexOf('/') + 1).replace(/-grad(-.*)?$/, '');
  const optimizer = OPTIMIZERS.find(([prefix]) => name.startsWith(prefix));
  return LAYERS[base] ?? LOSSES[base] ?? optimizer?.[1] ?? base;
}

/** 'layer 2 (Linear)'. */
export const layerWords = (e: TraceEvent): string => `layer ${e.module} (${kernelWords(e.name)})`;
