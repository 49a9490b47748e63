/**
 * Pairs of layers, the first cut by columns and the second by rows, that lie at the border of two stages and have parts
 * of different widths. A stage hands plain tensors to the next one, and a part does not tell how large the whole tensor
 * is, so scripts compute these layers whole. The run cuts them. Called by listed-cuts.ts and the pipeline's notices.
 */
import { isUneven, type ListedModule, readerOf } from '../../interop/pytorch/tensor';

/** The paths of the pairs. `modules`: all of the model; `stageOf`: the stage of a module, by its path. */
export const unevenBorders = (
  modules: readonly ListedModule[],
  tp: number,
  stageOf: (path: string) => number,
): readonly (readonly [string, string])[] =>
  modules.flatMap(({ path, layer, style, output }, i) => {
    if (style !== 'ColwiseParallel' || !isUneven(layer, tp)) return [];
    const reader = readerOf(modules, i);
    if (reader === undefined || stageOf(path) === stageOf(reader.path)) return [];
    const staysCut = output === 'Shard(-1)' || (output === undefined && reader.style === 'RowwiseParallel');
    return staysCut ? [[path, reader.path] as const] : [];
  });
