/**
 * Batch norm (with weight and bias) and the 2 x 2 max pooling after it in one dispatch, with relu in between if attr
 * `activation` is 'relu': inputs of norm/batch-norm, outputs and attrs of conv/max-pool2d. Only the pass fuse-norm-pool
 * makes this operator, after differentiation; neither gradient needs the tensor in between.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { OpDef } from '../../op';
import { hasRelu, maxPool2d, spansOf } from '../conv/max-pool2d';
import { poolingOf } from '../conv/pooling';
import { viewOf } from './channels';

const f = Math.fround;

export const batchNormPool: OpDef = {
  name: 'norm/batch-norm-pool',
  infer: (inputs, attrs) => maxPool2d.infer(inputs.slice(0, 1), attrs),
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { shape } = at(inputTypes, 0);
    const p = poolingOf(shape, attrs);
    const { channels } = viewOf(shape);
    const relu = hasRelu(attrs);
    const [x, mean, invstd, weight, bias] = [0, 1, 2, 3, 4].map((k) => at(inputs, k)) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const [y, index] = [at(outputs, 0), at(outputs, 1)];
    let out = 0;
    for (let plane = 0; plane < p.planes; plane++) {
      const c = plane % channels;
      const center = at(mean, c);
      const scale = at(invstd, c) * at(weight, c);
      const shift = at(bias, c);
      const start = plane * p.height * p.width;
      for (let i = 0; i < p.outHeight; i++) {
        for (let j = 0; j < p.outWidth; j++, out++) {
          const corner = 2 * i * p.width + 2 * j;
          let best = Number.NEGATIVE_INFINITY;
          let where = corner;
          for (let q = 0; q < 4; q++) {
            const k = corner + (q & 1) + (q >> 1) * p.width;
            const v = f(((x[start + k] as number) - center) * scale + shift);
            if (v > best || Number.isNaN(v)) {
              best = v;
              where = k;
            }
          }
          y[out] = relu && best <= 0 ? 0 : best;
          index[out] = where;
        }
      }
    }
  },
  lower(types) {
    const { shape } = at(types.inputs, 0);
    const p = poolingOf(shape, types.attrs);
    const spans = spansOf(p);
    const params = [...spans, viewOf(shape).channels, p.width, p.outHeight, p.outWidth];
    return [dense('norm/batch-norm-pool', types, params, grid(spans[0]), { RELU: hasRelu(types.attrs) ? 1 : 0 })];
  },
  flops: (types) => 5 * elements(at(types.inputs, 0).shape),
};
