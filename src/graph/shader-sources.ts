/**
 * The text of every kernel, by id (its path under shaders/ without extension). Bundled at build; the page shows the same text. That each row of the
 * kernel table has a file, and each file a row, is held by kernel-table.test.ts.
 */
import type { KernelId } from './kernel-table';

const files = import.meta.glob<string>('../../shaders/**/*.wgsl', { query: '?raw', import: 'default', eager: true });
const idOf = (path: string): string => path.replace(/^.*\/shaders\//, '').replace(/\.wgsl$/, '');

export const SHADERS = Object.fromEntries(Object.entries(files).map(([path, text]) => [idOf(path), text])) as Readonly<
  Record<KernelId, string>
>;
