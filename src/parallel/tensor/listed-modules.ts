/** The modules of a model as they appear in a script's plan. Called by the listing and by local-outputs.ts. */
import { modulesOf } from '../../graph/partition/styles';
import type { ListedModule } from '../../interop/pytorch/tensor';
import type { Config } from '../../protocol/config';
import { styleOfModule } from './plan';

/** All modules without children, each with its style. */
export function listedModules(config: Config): readonly ListedModule[] {
  const styleOf = styleOfModule(config);
  const all = modulesOf(config.model.layers);
  const parents = new Set(
    all.flatMap(({ path }) => (path.includes('.') ? [path.slice(0, path.lastIndexOf('.'))] : [])),
  );
  const unused = all.flatMap(({ path, layer }) => (layer.type === 'Unused' ? [`${path}.`] : []));
  return all.flatMap(({ path, layer, parent }): readonly ListedModule[] => {
    if (parents.has(path)) return [];
    const block = parent?.type === 'TransformerBlock' ? path.slice(0, path.lastIndexOf('.')) : undefined;
    const isCalled = !unused.some((start) => path.startsWith(start));
    return [{ path, layer, block, isCalled, ...styleOf(path) }];
  });
}
