/**
 * What DDP's overlap saves: the modelled time of a step whose all-reduces start as soon as a bucket is full, and of the same step whose all-reduces wait for the
 * end of backward, on every machine of the table. Both are compiled from the open run's settings; neither is run. Called by session.ts for the bucket view.
 */
import { at } from '../base/invariant';
import { FULL, type StepVariant } from '../parallel/strategy';
import type { OverlapTimes } from '../protocol/session';
import { HARDWARE } from '../simulator/hardware';
import { machineOf } from '../simulator/machine';
import { modelledStep } from '../simulator/simulate';
import type { Blueprint } from './blueprint';

export function overlapTimes(blueprint: Blueprint): readonly OverlapTimes[] {
  const { config, strategy, input } = blueprint;
  if (config.mode !== 'ddp') return [];
  const { sizes } = blueprint.batches();
  const variant = usualVariant(blueprint);
  const program = (overlap: boolean) =>
    strategy.compile({ ...input, config: { ...config, ddp: { ...config.ddp, overlap } } }, variant, sizes.full);
  const [together, apart] = [program(true), program(false)];
  return Object.values(HARDWARE)
    .map(({ id }) => machineOf(config, id))
    .map((hardware) => ({
      hardware: hardware.id,
      label: hardware.label,
      withOverlapUs: modelledStep(together, hardware, config.stragglers).stepUs,
      withoutOverlapUs: modelledStep(apart, hardware, config.stragglers).stepUs,
    }));
}

/** The one that runs most steps. */
function usualVariant({ programs, config }: Blueprint): StepVariant {
  const { variant: name } = at(programs, 0);
  const phase = /^full-(.+)$/.exec(name)?.[1];
  const gradients = config.accumulate === 1 ? 'set' : 'add';
  return { ...FULL, name, gradients, ...(phase === undefined ? {} : { phase }) };
}
