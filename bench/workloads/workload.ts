/** A workload: a net that is trained, given as a Lockstep configuration, or one matrix product. */
import type { ConfigInput } from '../../src/protocol/config';
import type { Files } from '../../src/protocol/session';

interface Named {
  /** The name that `--only` selects. */
  readonly id: string;
  readonly title: string;
  /**
   * Additional contenders, beside those on WebGPU and WASM; 'cpu': Lockstep's CPU device, and PyTorch; 'cpu-fma': the
   * CPU device with fused multiply-add; 'cpu-threads': with two threads.
   */
  readonly also: readonly ('ddp' | 'sharded' | 'tensor' | 'cpu' | 'cpu-fma' | 'cpu-threads' | 'tensorflow-cpu')[];
}

export interface TrainingWork extends Named {
  readonly kind: 'training';
  readonly config: ConfigInput;
  readonly files: Files;
  /** The losses of this many first steps must agree before anything is timed. */
  readonly checkedSteps: number;
}

/** c = a b, all size x size. */
export interface ProductWork extends Named {
  readonly kind: 'product';
  readonly size: number;
}

export type Workload = TrainingWork | ProductWork;

/**
 * Numbers in [-1, 1), the same for every contender. Their meaning does not matter, because only speed and losses are
 * compared.
 */
export function noise(seed = 12345): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
