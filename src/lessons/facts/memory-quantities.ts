/** The quantities of memory: what a device holds now, at most, between steps, and by category. */
import type { Quantity } from './quantity';
import { device, fullestMoment, liveAt, memoryFor, most } from './readings';

export const MEMORY_QUANTITIES = {
  /** Bytes of a device's live tensors at the cursor. */
  liveMemory: {
    label: 'memory in use now',
    format: 'bytes',
    of: (facts, argument) => liveAt(facts, argument, facts.app.cursor?.event),
  },
  /** Bytes that a device holds between steps: weights, gradients, states of the optimiser. */
  heldMemory: {
    label: 'memory held between steps',
    format: 'bytes',
    of: (facts, argument) => liveAt(facts, argument, -1),
  },
  /** torch.cuda.max_memory_allocated(). */
  allocated: {
    label: 'memory in use, at most',
    format: 'bytes',
    of: ({ metrics }, argument) => metrics?.allocatedBytes[device(argument)],
  },
  fullestMoment: { label: 'moment with the most memory in use', format: 'count', of: fullestMoment },
  /** Reserved bytes of a device; without an argument, of the fullest device. */
  peakMemory: {
    label: 'memory, reserved',
    format: 'bytes',
    of: ({ info }, argument) =>
      info &&
      (argument === ''
        ? most(info.memory.map(({ peakBytes }) => peakBytes))
        : info.memory[Number(argument)]?.peakBytes),
  },
  parameterMemory: { label: 'memory of parameters', format: 'bytes', of: memoryFor('parameter') },
  gradientMemory: { label: 'memory of gradients', format: 'bytes', of: memoryFor('gradient') },
  optimizerMemory: { label: 'memory of optimiser states', format: 'bytes', of: memoryFor('optimizer') },
  activationMemory: { label: 'memory of activations', format: 'bytes', of: memoryFor('activation') },
  bucketMemory: { label: 'memory of buckets', format: 'bytes', of: memoryFor('bucket') },
} satisfies Readonly<Record<string, Quantity>>;
