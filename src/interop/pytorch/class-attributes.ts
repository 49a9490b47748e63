/**
 * The attributes of a model that is written as a class: one per layer, or per group of layers with a common first name,
 * and the calls in forward(). Called by model.ts.
 */
import { at } from '../../base/invariant';
import { layerPath } from '../../nn/model';
import type { LayerConfig } from '../../protocol/config';
import { parametersOf } from '../../shapes/parameters';
import { isIdentifier, layerCode } from './layers';
import { layout } from './python';
import { layersOf, sequentialOf, tree } from './tree';

export interface ClassAttributes {
  /** Lines of __init__ that make the attributes. */
  readonly inits: readonly string[];
  /** One line of forward() per attribute. */
  readonly forwards: readonly string[];
  /** Expressions of all layers, as items of a Python list. */
  readonly modules: readonly string[];
  /** The token embedding, if the model itself has its two tables. */
  readonly embedding: LayerConfig | undefined;
  /** Whether some layers with parameters cannot have their names. */
  readonly renamed: boolean;
}

/** The output of a token embedding without a name, from its two tables. */
export const EMBED = 'x = self.tok(x) + self.pos.weight[:x.shape[1]]';

interface Given {
  /** Python expressions, one for each layer; absent: all on one. */
  readonly devices?: readonly string[] | undefined;
  /** The layers are needed as modules, and the two tables of an embedding as one module. */
  readonly listed?: true | undefined;
}

export function classAttributes(layers: readonly LayerConfig[], { devices, listed }: Given): ClassAttributes {
  const inits: string[] = [];
  const forwards: string[] = [];
  const modules: string[] = [];
  const taken = new Set<string>();
  let embedding: LayerConfig | undefined;
  let renamed = false;
  for (let i = 0; i < layers.length; ) {
    const layer = at(layers, i);
    const name = layerPath(layer, i);
    if (layer.type === 'TokenEmbedding' && name === '' && (devices === undefined || i === 0) && !taken.has('tok')) {
      const { vocab, width, context } = layer;
      const to = devices ? `.to(${at(devices, i)})` : '';
      inits.push(
        `self.tok = nn.Embedding(${vocab}, ${width})${to}`,
        `self.pos = nn.Embedding(${context}, ${width})${to}`,
      );
      forwards.push(EMBED);
      modules.push(listed ? 'Embed(self.tok, self.pos)' : 'self.embed');
      taken.add('tok').add('pos');
      embedding = layer;
      i += 1;
      continue;
    }
    const key = name.split('.')[0] ?? '';
    let end = i + 1;
    while (end < layers.length && key !== '' && layerPath(at(layers, end), end).split('.')[0] === key) end++;
    // Numbers count from the start of the model, so a separate tree of the group is used only for names.
    const group = layers.slice(i, end).map((l, k) => ({ ...l, name: layerPath(l, i + k) }) as LayerConfig);
    const node = taken.has(key) ? undefined : tree(group)?.[0];
    if (node) {
      const { before, after } = assignment(['self'], node.key);
      inits.push(...layout(`        ${before}`, node.code, after).map((text) => text.slice(8)));
      const paths = group.map(({ name: path = '' }) => path);
      for (const path of paths) for (const known of pathsTo(path)) taken.add(known);
      // A call of the whole group would also call the modules that a later layer puts into the group.
      const grows = layers.some((later, j) => j >= end && layerPath(later, j).split('.')[0] === key);
      const called = grows ? paths.map(moduleAt) : [moduleAt(node.key)];
      forwards.push(...called.map((module) => `x = ${module}(x)`));
      modules.push(...(grows ? called : layersOf(node, 'self')));
      i = end;
      continue;
    }
    const isFree = name !== '' && !taken.has(name);
    if (!isFree && parametersOf(layer).length > 0) renamed = true;
    const path = isFree ? name : freeName(`layer${i}`, taken);
    // The module is put into the modules of earlier layers whose names begin in the same way.
    for (const above of pathsTo(path)
      .slice(0, -1)
      .filter((one) => !taken.has(one))) {
      const { before, after } = assignment(['self', ...above.split('.').slice(0, -1)], lastOf(above));
      inits.push(`${before}nn.Module()${after}`);
    }
    for (const known of pathsTo(path)) taken.add(known);
    const { before, after } = assignment(['self', ...path.split('.').slice(0, -1)], lastOf(path));
    inits.push(...layout(`        ${before}`, layerCode(layer, sequentialOf), after).map((text) => text.slice(8)));
    forwards.push(`x = ${moduleAt(path)}(x)`);
    modules.push(moduleAt(path));
    i += 1;
  }
  return { inits, forwards, modules, embedding, renamed };
}

const freeName = (name: string, taken: ReadonlySet<string>): string =>
  taken.has(name) ? freeName(`${name}_`, taken) : name;

/** a, a.b and a.b.c for a.b.c. */
const pathsTo = (path: string): readonly string[] =>
  path.split('.').map((_, depth, parts) => parts.slice(0, depth + 1).join('.'));

const lastOf = (path: string): string => path.split('.').at(-1) ?? '';

const moduleAt = (path: string): string => member(['self', ...path.split('.')]);

const member = ([root = '', ...parts]: readonly string[]): string =>
  parts.every(isIdentifier) ? [root, ...parts].join('.') : `${root}.get_submodule('${parts.join('.')}')`;

/** What is before and after the code of a new module in a module. */
const assignment = (holder: readonly string[], key: string): { readonly before: string; readonly after: string } =>
  holder.length === 1 && isIdentifier(key)
    ? { before: `self.${key} = `, after: '' }
    : { before: `${member(holder)}.add_module('${key}', `, after: ')' };
