/**
 * The numbers that the optimiser kernels read in a step, group after group as scalars-layout.ts lays them out: computed
 * in double precision as torch does in Python, rounded to float32 once, and loaded from the host. So a changed learning
 * rate or a bias correction never rebuilds a Program. They depend only on the configuration, the optimiser's step t =
 * 1, 2, ... and the epoch, so a resumed run needs nothing else.
 */
import { at } from '../base/invariant';
import { makeMuProduct } from './nadam-product';
import { rowOf } from './optimizers';
import { groupSettings, type OptimizerSettings } from './param-groups';
import { makeSchedule } from './rates';
import { DECAY, LR, MAXIMIZE, SCALARS_LENGTH, WEIGHT_DECAY } from './scalars-layout';

export { SCALARS_LENGTH } from './scalars-layout';

/**
 * (1 + paramGroups.length) * SCALARS_LENGTH numbers; see param-groups for the order. `skipped`: steps before this one
 * that a GradScaler has skipped.
 */
export type StepScalars = (t: number, epoch: number, skipped?: number) => Float32Array<ArrayBuffer>;

/** Remembers its position between calls, so that ascending steps are cheap; any order works. */
export function makeStepScalars(config: OptimizerSettings): StepScalars {
  const { scheduler } = config;
  const groups = groupSettings(config);
  const byEpoch = scheduler?.every === 'epoch';
  const ratesAt = makeSchedule(config);
  const products = groups.map((own, k) => (own.type === 'NAdam' ? makeMuProduct(own, k, config) : undefined));
  return (attempt, epoch, skipped = 0) => {
    // The optimiser does not count a skipped step; the schedule does, as in torch.
    const t = attempt - skipped;
    const scalars = new Float32Array(groups.length * SCALARS_LENGTH);
    const rates = ratesAt(byEpoch ? epoch : attempt - 1);
    for (const [k, optimizer] of groups.entries()) {
      const { weightDecay } = optimizer;
      const { lr, momentum } = at(rates, k);
      const own = scalars.subarray(k * SCALARS_LENGTH, (k + 1) * SCALARS_LENGTH);
      own[LR] = lr;
      own[WEIGHT_DECAY] = weightDecay;
      own.set(rowOf(optimizer).scalars(optimizer, { lr, momentum, t, muProduct: products[k]?.(t) ?? 1 }), 2);
      own[DECAY] = 1 - lr * weightDecay;
      own[MAXIMIZE] = optimizer.maximize ? 1 : 0;
    }
    return scalars;
  };
}

/** The scalars of one step. */
export const stepScalars = (config: OptimizerSettings, t: number, epoch: number): Float32Array<ArrayBuffer> =>
  makeStepScalars(config)(t, epoch);
