/**
 * The time that DDP's overlap saves: the modelled time of a step whose all-reduces start as soon as a bucket is full,
 * and of the same step whose all-reduces wait for the end of backward, on every machine of the table. Both steps are
 * compiled from the open run's settings, and neither is executed. Called by session.ts for the bucket view.
 */
import type { Program } from '../program/instruction';
import type { OverlapTimes } from '../protocol/session';
import { HARDWARE, type Hardware } from '../simulator/hardware';
import { machineOf } from '../simulator/machine';
import { modelledStep } from '../simulator/simulate';
import type { Blueprint } from './blueprint';
import { usualStep } from './usual-step';

export function overlapTimes(blueprint: Blueprint): readonly OverlapTimes[] {
  const { config, facets, input } = blueprint;
  const { compile, withOverlap } = facets.compiler;
  if (!withOverlap) return [];
  const step = usualStep(blueprint);
  const compiled = (overlap: boolean) => {
    const own = { ...input, config: withOverlap(config, overlap) };
    return step.map(({ kind }) => compile(own, kind));
  };
  const [together, apart] = [compiled(true), compiled(false)];
  const stepUs = (programs: readonly Program[], hardware: Hardware): number =>
    programs.reduce((us, program) => us + modelledStep(program, hardware, config.stragglers).stepUs, 0);
  return Object.values(HARDWARE)
    .map(({ id }) => machineOf(config, id))
    .map((hardware) => ({
      hardware: hardware.id,
      label: hardware.label,
      withOverlapUs: stepUs(together, hardware),
      withoutOverlapUs: stepUs(apart, hardware),
    }));
}
