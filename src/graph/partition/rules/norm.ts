/**
 * Layer norm computes statistics over the last dimensions, so rows may be cut; batch and group norm compute them over
 * rows and pixels, so channels may be cut, together with batch norm's own tensors.
 */
import { at } from '../../../base/invariant';
import { REPLICATE, shard } from '../../../sharding/placement';
import { keepsCut, moved, type RuleOf, rankOf, shardOf } from '../rule';

export const layerNorm: RuleOf = keepsCut((dim, { inputs, attrs }) => {
  const { length } = attrs.normalizedShape as readonly number[];
  return dim < rankOf(at(inputs, 0)) - length;
});

/**
 * Inputs x, then tensors with one entry per channel. Outputs have channels at dimension 1 (like x) or 0 (the others).
 */
export const byChannel: RuleOf = ({ inputs, outputs }) => {
  const [x, ...others] = [at(inputs, 0), ...inputs.slice(1)];
  // Running statistics are never redistributed, so their placement tells whether the layer is cut.
  const running = others.find((input) => input.role === 'buffer' && input.type.dtype === 'f32');
  const own = running ? shardOf(running) : shardOf(x);
  if (own === undefined || own.dim !== (running ? 0 : 1)) return undefined;
  const cut = moved(own, 1);
  const channel = shard(0, cut.splitFactor);
  return {
    needs: [cut, ...others.map(({ type }) => (type.dtype === 'f32' ? channel : REPLICATE))],
    gives: outputs.map(({ shape, dtype }) => (dtype !== 'f32' ? REPLICATE : shape.length > 1 ? cut : channel)),
  };
};

/** Whole groups to each rank; statistics are [rows, groups]. */
export const groupNorm: RuleOf = (input) => {
  const { inputs, attrs, count } = input;
  const cut = shardOf(at(inputs, 0));
  const groups = Number(attrs.groups);
  if (cut === undefined || cut.dim > 1 || cut.splitFactor > 1) return undefined;
  if (cut.dim === 0) return keepsCut(() => true)(input);
  if (groups % count !== 0) return undefined;
  return {
    needs: [cut, ...inputs.slice(1).map(() => shard(0))],
    gives: [cut],
    attrsOn: () => ({ ...attrs, groups: groups / count }),
  };
};
