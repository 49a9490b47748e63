/**
 * powerSGD_hook: a gradient matrix M [n, m] goes over the wire as two thin factors. P = M Q is summed over the ranks
 * and made orthonormal, Q = M^T P is averaged, and M becomes P Q^T. The error of P Q^T is added to the next step's
 * gradient (error feedback), and the next step starts from this Q (warm start). Tensors that would shrink too little
 * are all-reduced without compression. The first steps reduce as usual. Source: powerSGD_hook.py; Vogels et al., arXiv
 * 1905.13727.
 */
import { at } from '../../../../base/invariant';
import { algorithmFor } from '../../../../collectives/algorithms';
import type { LaneBuilder, Where } from '../../../../program/lane-builder';
import type { HookPhase } from '../../../../protocol/step-kind';
import { allreduce } from '../allreduce';
import type { BucketCall, CommHook, HookDraw } from '../comm-hook';
import { type FactorMatrix, type Factors, factorsOf, powerSGDSettings, qDrawer } from './factors';
import type { ProductAttrs } from './low-rank-ops';

const PLAIN: HookPhase = 'plain';
/** In this phase Q is random, not the last step's. */
const RANDOM: HookPhase = 'random';

const errorOf = (buffer: string): string => `${buffer}.error`;
const qOf = (buffer: string): string => `${buffer}.q`;

export const powerSGD: CommHook = {
  name: 'powerSGD',
  scale: (worldSize, phase) => (phase === PLAIN ? 1 / worldSize : 1),

  emit(call) {
    if (call.phase === PLAIN) return allreduce.emit(call);
    const { builder, group, buffer, where, config, phase } = call;
    const { feedback } = powerSGDSettings(config);
    const factors = layoutOf(call);
    const each = (run: (lane: LaneBuilder) => void) => {
      for (const lane of builder.lanesOf(group)) run(lane);
    };
    const [q, p] = [qOf(buffer), `${buffer}.p`];
    const error = errorOf(buffer);
    if (feedback) each((lane) => lane.compute('power-sgd/error-in', [error, buffer], [error, buffer], {}, where));
    if (factors.qLength > 0) {
      each((lane) => {
        lane.buffer({ name: p, shape: [factors.pLength], dtype: 'f32', category: 'bucket', persistent: false });
        if (phase === RANDOM) lane.load({ buffer: q, source: 'noise', start: 0, count: 0 }, where);
        for (const m of factors.matrices)
          orthogonalize(lane, q, { at: m.qAt, rows: m.columns, columns: m.rank }, where);
        for (const m of factors.matrices) product(lane, [buffer, q, p], timesQ(m), where);
      });
    }
    reduceRest(call, factors);
    if (factors.qLength > 0) {
      allReduce(call, p, factors.pLength);
      each((lane) => {
        for (const m of factors.matrices) orthogonalize(lane, p, { at: m.pAt, rows: m.rows, columns: m.rank }, where);
        for (const m of factors.matrices) product(lane, [buffer, p, q], timesP(m), where);
      });
      allReduce(call, q, factors.qLength);
      each((lane) => {
        divide(call, lane, q, factors.qLength);
        for (const m of factors.matrices) product(lane, [p, q, buffer], together(m), where);
      });
    }
    if (feedback) each((lane) => lane.compute('power-sgd/error-out', [error, buffer], [error, buffer], {}, where));
  },

  state(call) {
    const { feedback, warm } = powerSGDSettings(call.config);
    const { qLength } = layoutOf(call);
    if (call.phase === PLAIN) return [];
    const base = { dtype: 'f32', category: 'optimizer', persistent: true } as const;
    return [
      ...(feedback ? [{ ...base, name: errorOf(call.buffer), shape: [call.length] }] : []),
      ...(qLength > 0 ? [{ ...base, persistent: warm, name: qOf(call.buffer), shape: [qLength] }] : []),
    ];
  },

  phases(config) {
    const { start, warm } = powerSGDSettings(config);
    return {
      names: ['usual', RANDOM, PLAIN],
      at: (step) => (step < start ? PLAIN : step === start || !warm ? RANDOM : 'usual'),
    };
  },

  draws(config, buckets) {
    const settings = powerSGDSettings(config);
    const drawQ = qDrawer();
    return (step) => {
      if (step < settings.start || (settings.warm && step > settings.start)) return [];
      return buckets.flatMap((shapes, index): HookDraw[] => {
        const factors = factorsOf(shapes, settings);
        if (factors.qLength === 0) return [];
        return [
          { buffer: qOf(`bucket${index}`), data: drawQ(factors, (step - settings.start) * buckets.length + index) },
        ];
      });
    };
  },
};

const layoutOf = ({ builder, group, parameters, config }: BucketCall): Factors =>
  factorsOf(
    parameters.map(({ name }) => at(builder.lanesOf(group), 0).spec(name).shape),
    powerSGDSettings(config),
  );

/** P = M Q. */
const timesQ = ({ at, rows, columns, rank, pAt, qAt }: FactorMatrix): ProductAttrs => ({
  rows,
  columns: rank,
  depth: columns,
  leftAt: at,
  leftRow: columns,
  leftStep: 1,
  rightAt: qAt,
  rightRow: 1,
  rightStep: rank,
  outAt: pAt,
});

/** Q = M^T P. */
const timesP = ({ at, rows, columns, rank, pAt, qAt }: FactorMatrix): ProductAttrs => ({
  rows: columns,
  columns: rank,
  depth: rows,
  leftAt: at,
  leftRow: 1,
  leftStep: columns,
  rightAt: pAt,
  rightRow: 1,
  rightStep: rank,
  outAt: qAt,
});

/** M = P Q^T. */
const together = ({ at, rows, columns, rank, pAt, qAt }: FactorMatrix): ProductAttrs => ({
  rows,
  columns,
  depth: rank,
  leftAt: pAt,
  leftRow: rank,
  leftStep: 1,
  rightAt: qAt,
  rightRow: rank,
  rightStep: 1,
  outAt: at,
});

function product(
  lane: LaneBuilder,
  [left, right, out]: readonly [string, string, string],
  attrs: ProductAttrs,
  where: Where,
): void {
  lane.compute('power-sgd/product', [left, right, out], [out], { ...attrs }, where);
}

type Factor = Readonly<Record<'at' | 'rows' | 'columns', number>>;

function orthogonalize(lane: LaneBuilder, buffer: string, { at, rows, columns }: Factor, where: Where) {
  lane.compute('power-sgd/orthogonalize', [buffer], [buffer], { at, rows, columns }, where);
}

function divide({ group, where }: BucketCall, lane: LaneBuilder, buffer: string, length: number): void {
  lane.compute('comm/scale', [buffer], [buffer], { from: 0, length, scale: 1 / group.ranks.length }, where);
}

/** All-reduces the tensors that are not compressed, as one. */
function reduceRest(call: BucketCall, { rest }: Factors): void {
  const { builder, group, buffer, where } = call;
  const length = rest.reduce((n, piece) => n + piece.length, 0);
  if (length === 0) return;
  const name = `${buffer}.uncompressed`;
  const copy = (lane: LaneBuilder, out: boolean) => {
    let offset = 0;
    for (const { at, length: own } of rest) {
      const [from, to] = out ? [offset, at] : [at, offset];
      const [source, target] = out ? [name, buffer] : [buffer, name];
      lane.compute('ops/copy', [source], [target], { from, to, length: own }, where);
      offset += own;
    }
  };
  for (const lane of builder.lanesOf(group)) {
    lane.buffer({ name, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
    copy(lane, false);
  }
  allReduce(call, name, length);
  for (const lane of builder.lanesOf(group)) {
    divide(call, lane, name, length);
    copy(lane, true);
  }
}

function allReduce({ builder, config, group, index, where }: BucketCall, input: string, length: number): void {
  if (group.ranks.length === 1) return;
  algorithmFor(config.ddp.algorithm, 'allReduce').emit({
    builder,
    op: 'allReduce',
    group,
    input,
    length,
    payload: 'gradient',
    bucket: index,
    where,
  });
}
