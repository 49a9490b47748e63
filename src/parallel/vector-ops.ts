/**
 * The kernels of WebAssembly for the CPU: a part of its own, which comes where a Program has an operator that is large
 * enough. Called by whoever opens a run (training/create-training, runtime/launch) before anything is computed.
 */
import { Part } from '../base/part';
import type { VectorPart } from '../graph/vectors/vector-op';
import type { Program } from '../program/instruction';

export const VECTORS = new Part('The vector kernels of the CPU', async (): Promise<VectorPart> => {
  const [{ GRAPH_VECTORS, KERNELS, Vectors }, { OPTIM_VECTORS }] = await Promise.all([
    import('../graph/vectors'),
    import('../optim/vector-ops'),
  ]);
  const ops = new Map([...GRAPH_VECTORS, ...OPTIM_VECTORS]);
  return {
    ops,
    open(regions, start) {
      const module = start ? SHARED.get() : KERNELS;
      return module && Vectors.open(module, regions, start);
    },
  };
});

const SHARED = new Part(
  'The vector kernels for several threads',
  async () => (await import('../graph/vectors/shared')).SHARED_KERNELS,
);

/** Floating-point operations of one instruction from which the kernels are worth their bytes. */
const LARGE = 200_000;

const isLarge = ({ lanes }: Program): boolean =>
  lanes.some(({ instructions }) => instructions.some((i) => i.kind === 'compute' && i.flops >= LARGE));

/** The kernels, where these Programs are worth them. */
export async function loadVectors(programs: readonly Program[], threads = 1): Promise<VectorPart | undefined> {
  if (!programs.some(isLarge)) return undefined;
  if (threads > 1) await SHARED.load();
  return await VECTORS.load();
}

if (!globalThis.LOCKSTEP_SITE) await VECTORS.load();
