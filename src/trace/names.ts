/** What things are called in sentences: devices by rank under DDP and as PyTorch names devices elsewhere, layers by their module, kernels by their class. */
import type { DeviceIndex, StepTrace } from '../protocol/trace';

/** Is there a process a device, as under DistributedDataParallel? */
export const hasRanks = (trace: StepTrace): boolean => trace.events.some((e) => e.rank !== 0);

/** 'rank 2' where processes have ranks, else 'cuda:2'. */
export function deviceName(trace: StepTrace, device: DeviceIndex): string {
  return hasRanks(trace) ? `rank ${device}` : `cuda:${device}`;
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** '92 B', '1,472 B', '3.1 MB'. */
export function bytesText(bytes: number): string {
  if (bytes < 1e4) return `${bytes.toLocaleString('en-US')} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toLocaleString('en-US', { maximumFractionDigits: 1 })} kB`;
  return `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
}

/** 'a', 'a and b', 'a, b and c'; of more than `most` only the first ones and how many more. */
export function listText(items: readonly string[], most = 4): string {
  const shown = items.length > most ? [...items.slice(0, most - 1), `${items.length - most + 1} more`] : items;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

/** torch.nn's name of the class a kernel belongs to; the kernel's own name where it has none. */
export function className(kernel: string): string {
  const family = kernel.slice(kernel.indexOf('/') + 1).replace(/-grad.*$/, '');
  return CLASSES[family] ?? family;
}

const CLASSES: Readonly<Record<string, string>> = {
  linear: 'Linear',
  relu: 'ReLU',
  tanh: 'Tanh',
  sigmoid: 'Sigmoid',
  gelu: 'GELU',
  softmax: 'Softmax',
  'log-softmax': 'LogSoftmax',
  mse: 'MSELoss',
  'cross-entropy': 'CrossEntropyLoss',
  'bce-with-logits': 'BCEWithLogitsLoss',
  sgd: 'SGD',
  'sgd-momentum': 'SGD',
  adam: 'Adam',
};
