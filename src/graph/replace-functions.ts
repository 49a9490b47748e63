/**
 * Gives a kernel other functions of the same names, written with a WGSL extension that some devices have. Used for f16
 * (runtime/webgpu/float16) and for subgroups (runtime/webgpu/subgroups).
 */
import { must } from '../base/invariant';

/**
 * `sources`: the text of one function each. `head`: what the extension needs before all declarations. A kernel without
 * such functions stays as it is.
 */
export function replaceFunctions(kernel: string, sources: readonly string[], head: string): string {
  const functions = sources.map((source) => ({ source, name: must(/fn \w+/.exec(source)?.[0], source) }));
  const used = functions.filter(({ name }) => kernel.includes(`${name}(`));
  if (used.length === 0) return kernel;
  const renamed = used.reduce((now, { name }) => now.replace(`${name}(`, `${name}_plain(`), kernel);
  // The first line stays the first, so that the compiler's line numbers are those of the file.
  return `${head} ${renamed}\n${used.map(({ source }) => source).join('\n')}`;
}
