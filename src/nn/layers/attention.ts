/**
 * Self-attention: torch.nn.MultiheadAttention over one sequence, and the pre-norm block of a small GPT. Activations are
 * [N, T, width].
 */
import { LockstepError } from '../../base/errors';
import type { ValueId } from '../../graph/op';
import type { LayerOf } from '../../protocol/config';
import { initMultiheadAttention } from '../../tensor/init';
import type { LayerContext, LayerDef } from '../layer';

/** qkv [N, T, 3 width] to [N, T, width]; scores are scaled by 1 / sqrt(width of a head). */
function selfAttention(c: LayerContext, qkv: ValueId, width: number, heads: number, causal: boolean): ValueId {
  if (width % heads !== 0) {
    throw new LockstepError(
      'shape',
      `embed_dim must be divisible by num_heads (width ${width}, heads ${heads})`,
      `Choose a width that is a multiple of ${heads}.`,
    );
  }
  const attrs = { heads, causal, scale: 1 / Math.sqrt(width / heads) };
  return c.apply('attention/self-attention', [qkv], attrs, { names: ['attention', 'lse'] })[0];
}

export const multiheadAttention: LayerDef<LayerOf<'MultiheadAttention'>> = {
  init({ width, bias }, generator) {
    const { inProjWeight, inProjBias, outProjWeight, outProjBias } = initMultiheadAttention(generator, width, bias);
    return [inProjWeight, ...(inProjBias ? [inProjBias] : []), outProjWeight, ...(outProjBias ? [outProjBias] : [])];
  },
  forward(c, { width, heads, bias, causal }, x) {
    const project = (weight: string, name: string | undefined, from: ValueId, output: string) =>
      c.apply(
        'ops/linear',
        [from, c.parameter(weight), ...(name === undefined ? [] : [c.parameter(name)])],
        {},
        {
          names: [output],
        },
      )[0];
    const qkv = project('in_proj_weight', bias ? 'in_proj_bias' : undefined, x, 'qkv');
    const attended = selfAttention(c, qkv, width, heads, causal);
    return project('out_proj.weight', bias ? 'out_proj.bias' : undefined, attended, 'out');
  },
};

export const transformerBlock: LayerDef<LayerOf<'TransformerBlock'>> = {
  forward(c, { width, heads, causal, dropout }, x) {
    const drop = (name: string, value: ValueId) => (dropout > 0 ? c.run(name, value) : value);
    const attended = selfAttention(c, c.run('qkv', c.run('ln1', x)), width, heads, causal);
    const first = drop('drop1', c.run('proj', attended));
    const middle = c.apply('ops/add', [x, first], {}, { names: ['middle'] })[0];
    const hidden = c.run('gelu', c.run('fc1', c.run('ln2', middle)));
    return c.apply('ops/add', [middle, drop('drop2', c.run('fc2', hidden))])[0];
  },
};
