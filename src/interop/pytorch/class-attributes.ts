/**
 * The attributes of a model that is written as a class: one per layer, or per group of layers with a common first name,
 * and the calls in forward(). Called by model.ts.
 */
import { at } from '../../base/invariant';
import { layerPath } from '../../nn/model';
import type { LayerConfig } from '../../protocol/config';
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
  /** Whether some layers cannot have their names. */
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
    const own = node ?? { key: `layer${i}`, code: layerCode(layer, sequentialOf) };
    if (!node) {
      end = i + 1;
      renamed = true;
    }
    taken.add(own.key);
    const plain = isIdentifier(own.key);
    const before = plain ? `self.${own.key} = ` : `self.add_module('${own.key}', `;
    inits.push(...layout(`        ${before}`, own.code, plain ? '' : ')').map((text) => text.slice(8)));
    const attribute = plain ? `self.${own.key}` : `self.get_submodule('${own.key}')`;
    forwards.push(`x = ${attribute}(x)`);
    modules.push(...(node ? layersOf(node, 'self') : [attribute]));
    i = end;
  }
  return { inits, forwards, modules, embedding, renamed };
}
