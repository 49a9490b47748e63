/**
 * torch.nn.Embedding, and the sum of a token and a position embedding that a decoder starts with. Input: int32 token
 * ids [N, T].
 */
import type { LayerOf } from '../../protocol/config';
import { initEmbedding } from '../../tensor/init';
import { sameShape } from '../../tensor/shape';
import type { LayerDef } from '../layer';

export const embedding: LayerDef<LayerOf<'Embedding'>> = {
  init: ({ vocab, width, paddingIdx }, generator) => [initEmbedding(generator, vocab, width, paddingIdx)],
  forward: (c, { paddingIdx }, x) =>
    c.apply('embedding/embedding', [x, c.parameter('weight')], paddingIdx === undefined ? {} : { paddingIdx })[0],
};

export const tokenEmbedding: LayerDef<LayerOf<'TokenEmbedding'>> = {
  forward(c, { context }, x) {
    const tokens = c.run('tok', x);
    const positions = c.inside('pos').parameter('weight');
    const length = c.typeOf(x).shape.at(-1) ?? 1;
    // pos(arange(T)) is the first T rows of its weight.
    const used = sameShape([length], [context])
      ? positions
      : c.inside('pos').apply('shape/slice', [positions], { start: [0], end: [length], step: [1] })[0];
    return c.apply('ops/add', [tokens, used])[0];
  },
};
