/**
 * Loads the WebAssembly kernels for the CPU if a Program has an operator that is worth it. Called when a run opens
 * (training/create-training, runtime/launch), before anything is computed.
 */
import { Part } from '../base/part';
import type { VectorPart } from '../graph/vectors/vector-op';
import type { Program } from '../program/instruction';

/** The settings of how the CPU device computes. */
export interface CpuSettings {
  readonly threads: number;
  readonly fusedMultiplyAdd: boolean;
}

const PLAIN_CPU: CpuSettings = { threads: 1, fusedMultiplyAdd: false };

export const VECTORS = new Part('The kernels of the CPU', async (): Promise<VectorPart> => {
  const [{ GRAPH_VECTORS, KERNELS, Vectors }, { OPTIM_VECTORS }, { COMM_VECTORS }] = await Promise.all([
    import('../graph/vectors'),
    import('../optim/vector-ops'),
    import('../collectives/vector-ops'),
  ]);
  const ops = new Map([...GRAPH_VECTORS, ...OPTIM_VECTORS, ...COMM_VECTORS]);
  const over: VectorPart['over'] = ({ one = KERNELS, shared }) => ({
    ops,
    over,
    open(regions, start) {
      const module = start ? shared : one;
      return module && Vectors.open(module, regions, start);
    },
  });
  return over({});
});

const SHARED = new Part(
  'The kernels for threads',
  async () => (await import('../graph/vectors/shared')).SHARED_KERNELS,
);

export const FUSED = new Part('The fused kernels', async () => (await import('../graph/vectors/fused')).FUSED_KERNELS);

const SHARED_FUSED = new Part(
  'The fused kernels for threads',
  async () => (await import('../graph/vectors/shared-fused')).SHARED_FUSED_KERNELS,
);

/** An instruction with at least this many floating-point operations is worth loading the kernels. */
const LARGE = 200_000;

/** Operators whose plain loops are several times slower, because JavaScript rounds to float32 by a conversion. */
const SLOW_IN_LOOPS = /^(ops\/(gelu|silu)|attention\/)/;

/** Whether a Program has an instruction that is worth loading the kernels. */
export const usesKernels = (programs: readonly Program[]): boolean =>
  programs.some(({ lanes }) =>
    lanes.some(({ instructions }) =>
      instructions.some((i) => i.kind === 'compute' && (i.flops >= LARGE || SLOW_IN_LOOPS.test(i.op))),
    ),
  );

/**
 * Loads the kernels if these Programs use them. A machine without relaxed SIMD gets kernels without fused
 * multiply-add.
 */
export async function loadVectors(
  programs: readonly Program[],
  { threads, fusedMultiplyAdd }: CpuSettings = PLAIN_CPU,
): Promise<VectorPart | undefined> {
  if (!usesKernels(programs)) return undefined;
  const plain = await VECTORS.load();
  if (threads === 1 && !fusedMultiplyAdd) return plain;
  const one = fusedMultiplyAdd ? await FUSED.load() : undefined;
  const shared = threads > 1 ? await (one ? SHARED_FUSED : SHARED).load() : undefined;
  return plain.over({ one, shared });
}

if (!globalThis.LOCKSTEP_SITE) await VECTORS.load();
