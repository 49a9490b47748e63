/**
 * The text of the kernels that ship, by id (path under shaders/ without extension). Bundled at build; the page shows
 * the same text. Left out are kernels that only operators of testing/all-ops.ts run (shipped-ops.test.ts checks that no
 * other operator needs them), and kernels of mixed precision, which `shadersFor` loads for runs that may use them.
 */
import { loadPart } from '../base/load-part';
import type { KernelId } from './kernel-table';

const files = import.meta.glob<string>(
  [
    '../../shaders/**/*.wgsl',
    '!../../shaders/helpers/**',
    '!../../shaders/{precision,scaler}/*.wgsl',
    '!../../shaders/reduce/{cumsum,logsumexp,logsumexp-grad,max,max-grad,max-all-grad,norm-grad,sum-grad-vec4,var,var-grad}.wgsl',
    '!../../shaders/shape/{gather,scatter}.wgsl',
    '!../../shaders/ops/sum-grad.wgsl',
    '!../../shaders/pointwise/where.wgsl',
    '!../../shaders/norm/batch-norm-eval-grad-input.wgsl',
  ],
  { query: '?raw', import: 'default', eager: true },
);

const idOf = (path: string): string => path.replace(/^.*\/shaders\//, '').replace(/\.wgsl$/, '');

/** Turns texts by path into texts by id. */
export const byId = (texts: Readonly<Record<string, string>>): Readonly<Record<KernelId, string>> =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [idOf(path), text])) as Readonly<
    Record<KernelId, string>
  >;

export const SHADERS = byId(files);

/** Includes fully_shard's copies, which may make halves, and the operators of DDP's compressing hooks. */
const OF_HALVES = /^(precision|scaler|fsdp|halves)[/]/;

/** The kernels that Programs with these operators run. */
export async function shadersFor(ops: Iterable<string>): Promise<Readonly<Record<KernelId, string>>> {
  if (![...ops].some((name) => OF_HALVES.test(name))) return SHADERS;
  const { HALF_SHADERS } = await loadPart('The kernels of mixed precision', () => import('./half-shaders'));
  return { ...SHADERS, ...byId(HALF_SHADERS) };
}
