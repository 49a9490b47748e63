/**
 * The kernels of WebAssembly for the CPU: a part of its own, which comes where a Program has an operator that is large
 * enough. Called by whoever opens a run (training/create-training, runtime/launch) before anything is computed.
 */
import { Part } from '../base/part';
import type { VectorPart } from '../graph/vectors/vector-op';
import type { Program } from '../program/instruction';

export const VECTORS = new Part('The vector kernels of the CPU', async (): Promise<VectorPart> => {
  const [{ compile, GRAPH_VECTORS, Vectors }, { OPTIM_VECTORS }] = await Promise.all([
    import('../graph/vectors'),
    import('../optim/vector-ops'),
  ]);
  const module = compile();
  const ops = new Map([...GRAPH_VECTORS, ...OPTIM_VECTORS]);
  return { ops, open: (regions) => module && Vectors.open(module, regions) };
});

/** Floating-point operations of one instruction from which the kernels are worth their bytes. */
const LARGE = 200_000;

const isLarge = ({ lanes }: Program): boolean =>
  lanes.some(({ instructions }) => instructions.some((i) => i.kind === 'compute' && i.flops >= LARGE));

/** The kernels, where these Programs are worth them. */
export const loadVectors = async (programs: readonly Program[]): Promise<VectorPart | undefined> =>
  programs.some(isLarge) ? await VECTORS.load() : undefined;

if (!globalThis.LOCKSTEP_SITE) await VECTORS.load();
