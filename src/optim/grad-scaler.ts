/**
 * torch.amp.GradScaler as operators. Its state is four tensors of one element on each device: the scale, the steps
 * since the scale changed (growth_tracker), 1 if a gradient of this step is inf or NaN (found_inf), and the steps
 * skipped so far. Source: torch/amp/grad_scaler.py and aten/src/ATen/native/cuda/AmpKernels.cu. Emitted by
 * parallel/emit-scaler.ts.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { grid } from '../graph/launch';
import type { Attrs, OpDef, OpTypes, SegmentedLaunch } from '../graph/op';
import { elements, type HostArray } from '../tensor/shape';
import { SKIP } from './scalars-layout';

const f = Math.fround;

const first = (values: HostArray | undefined): number => values?.[0] ?? 0;

/** bucket[to] = gradient[from] * factor, of single elements. */
const copyOne = (
  moves: readonly { readonly from: number; readonly to: number; readonly offset: number }[],
  factor: number,
): readonly SegmentedLaunch[] => [
  {
    kind: 'segmented',
    kernel: 'ddp/pack',
    params: [{ f32: factor }],
    segments: moves.map(({ from, to, offset }) => ({
      at: [
        { operand: from, offset: 0 },
        { operand: to, offset },
      ],
      length: 1,
    })),
  },
];

/** Inputs: scale [1]; output: the gradient that backward begins with [1], scale times the attribute `factor`. */
const scaleLoss: OpDef = {
  name: 'scaler/scale-loss',
  infer: (inputs) => [at(inputs, 0)],
  cpu({ inputs, outputs, attrs }) {
    at(outputs, 0)[0] = f(first(inputs[0]) * f(Number(attrs.factor)));
  },
  lower: ({ attrs }) => copyOne([{ from: 0, to: 1, offset: 0 }], Number(attrs.factor)),
  flops: () => 1,
};

/**
 * GradScaler.unscale_: inputs scale [1], found_inf [1], then the gradients; outputs found_inf and the gradients, in
 * place. Every gradient is divided by the scale, and found_inf becomes 1 if an element is inf or NaN.
 */
const unscale: OpDef = {
  name: 'scaler/unscale',
  infer(inputs) {
    if (inputs.length < 3) throw new LockstepError('shape', 'unscale_: expected at least one gradient');
    return inputs.slice(1);
  },
  cpu({ inputs, outputs }) {
    const inverse = f(1 / first(inputs[0]));
    const [found, ...gradients] = outputs;
    for (const gradient of gradients) {
      for (let i = 0; i < gradient.length; i++) {
        const value = gradient[i] as number;
        if (!Number.isFinite(value)) at([found], 0)?.fill(1);
        gradient[i] = value * inverse;
      }
    }
  },
  lower: ({ inputs, outputs }) => [
    {
      kind: 'segmented',
      kernel: 'scaler/unscale',
      params: [],
      segments: outputs.slice(1).map((type, k) => ({
        at: [
          { operand: 0, offset: 0, fixed: true },
          { operand: inputs.length, offset: 0, fixed: true },
          { operand: inputs.length + 1 + k, offset: 0 },
        ],
        length: elements(type.shape),
      })),
    },
  ],
  flops: ({ outputs }) => outputs.reduce((total, type) => total + elements(type.shape), 0),
};

/** GradScaler.step: inputs found_inf [1], then the optimiser's scalars, in which found_inf says that it skips. */
const skipStep: OpDef = {
  name: 'scaler/skip-step',
  infer: (inputs) => inputs.slice(1),
  cpu({ inputs, outputs }) {
    for (const scalars of outputs) scalars[SKIP] = first(inputs[0]);
  },
  lower: ({ inputs, outputs }) =>
    copyOne(
      outputs.map((_, k) => ({ from: 0, to: inputs.length + k, offset: SKIP })),
      1,
    ),
  flops: () => 0,
};

const numbers = ({ growthFactor, backoffFactor, growthInterval }: Attrs) => ({
  growth: f(Number(growthFactor)),
  backoff: f(Number(backoffFactor)),
  interval: Number(growthInterval),
});

/** GradScaler.update: scale, growth_tracker, found_inf and the number of skipped steps, in place. */
const updateScale: OpDef = {
  name: 'scaler/update',
  infer: (inputs) => inputs,
  cpu({ outputs, attrs }) {
    const [scale, tracker, found, skipped] = [0, 1, 2, 3].map((k) => at(outputs, k));
    if (!scale || !tracker || !found || !skipped) return;
    const { growth, backoff, interval } = numbers(attrs);
    if (first(found) !== 0) {
      scale[0] = f(first(scale) * backoff);
      tracker[0] = 0;
      skipped[0] = first(skipped) + 1;
    } else if (first(tracker) + 1 === interval) {
      const grown = f(first(scale) * growth);
      if (Number.isFinite(grown)) scale[0] = grown;
      tracker[0] = 0;
    } else tracker[0] = first(tracker) + 1;
    found[0] = 0;
  },
  lower: ({ inputs, attrs }: OpTypes) => {
    const { growth, backoff, interval } = numbers(attrs);
    return [
      {
        kind: 'dense',
        kernel: 'scaler/update',
        bindings: inputs.map((_, k) => inputs.length + k),
        params: [{ f32: growth }, { f32: backoff }, { f32: interval }],
        workgroups: grid(1),
      },
    ];
  },
  flops: () => 2,
};

export const GRAD_SCALER_OPS: readonly OpDef[] = [scaleLoss, unscale, skipStep, updateScale];
