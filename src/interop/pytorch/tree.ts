/**
 * The names of a model's layers as modules within modules, from which the listings write an nn.Sequential. Called by
 * model.ts.
 */
import { at } from '../../base/invariant';
import { layerPath } from '../../nn/model';
import { tiedNames } from '../../nn/tied';
import type { LayerConfig } from '../../protocol/config';
import { isIdentifier, layerCode, sequentialCode } from './layers';
import type { Expression } from './python';

/** Layers that share the first part of their names, or one layer. */
export interface Node {
  readonly key: string;
  readonly first: number;
  /** Number of layers. */
  readonly count: number;
  readonly code: Expression;
  readonly children?: readonly Node[];
}

/** Undefined if modules cannot have these names: empty or duplicate names. */
export function tree(layers: readonly LayerConfig[]): readonly Node[] | undefined {
  const paths = layers.map((layer, i) => layerPath(layer, i).split('.'));
  const below = (start: number, end: number, depth: number): readonly Node[] | undefined => {
    const nodes: Node[] = [];
    for (let first = start; first < end; ) {
      const key = paths[first]?.[depth] ?? '';
      let next = first + 1;
      while (next < end && paths[next]?.[depth] === key) next++;
      if (key === '' || nodes.some((node) => node.key === key)) return undefined;
      const count = next - first;
      if (paths.slice(first, next).some((path) => path.length === depth + 1)) {
        if (count > 1) return undefined;
        nodes.push({ key, first, count, code: layerCode(at(layers, first), sequentialOf) });
      } else {
        const children = below(first, next, depth + 1);
        if (!children) return undefined;
        nodes.push({ key, first, count, code: sequentialCode(entries(children)), children });
      }
      first = next;
    }
    return nodes;
  };
  return below(0, layers.length, 0);
}

export const entries = (nodes: readonly Node[]): [string, Expression][] => nodes.map(({ key, code }) => [key, code]);

export const isIndexed = (nodes: readonly Node[]): boolean => nodes.every(({ key }, i) => key === String(i));

/** If the names are impossible, the layers are numbered. */
export function sequentialOf(layers: readonly LayerConfig[]): Expression {
  const nodes = tree(layers);
  if (nodes) return sequentialCode(entries(nodes));
  return sequentialCode(layers.map((layer, i) => [String(i), layerCode(layer, sequentialOf)]));
}

/** The parameter with that name below `root`; `indexed`: `root` is a Sequential whose modules are numbered in order. */
export function access(root: string, name: string, indexed: boolean): string {
  const parts = name.split('.');
  const [first = '', ...rest] = parts;
  if (parts.every(isIdentifier)) return `${root}.${name}`;
  if (indexed && rest.every(isIdentifier)) return `${root}[${first}].${rest.join('.')}`;
  return `${root}.get_submodule('${parts.slice(0, -1).join('.')}').${parts.at(-1) ?? ''}`;
}

export const ties = (layers: readonly LayerConfig[], root: string, indexed = false): readonly string[] =>
  tiedNames(layers).map(({ name, source }) => `${access(root, name, indexed)} = ${access(root, source, indexed)}`);

/** The layers of a node as items of a Python list; `root`: the expression of what holds it. */
export function layersOf({ key, children }: Node, root: string): readonly string[] {
  const own = isIdentifier(key) ? `${root}.${key}` : `${root}.get_submodule('${key}')`;
  if (!children) return [own];
  const deeper = children.some((child) => child.children !== undefined);
  return deeper ? children.flatMap((child) => layersOf(child, own)) : [`*${own}`];
}
