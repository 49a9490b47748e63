/** The text of every kernel, of those too that only the operators of all-ops.ts run. */
import type { KernelId } from '../kernel-table';
import { byId } from '../shader-sources';

const files = import.meta.glob<string>(['../../../shaders/**/*.wgsl', '!../../../shaders/helpers/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

export const ALL_SHADERS: Readonly<Record<KernelId, string>> = byId(files);
