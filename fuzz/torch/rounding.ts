/**
 * Whether rounding decides what a run becomes: an input of ReLU next to 0, or a batch norm over values that hardly
 * differ. Two correct programs then end with other weights. The same run with rates that differ by one millionth, in
 * either direction, tells: its losses must not move by more than a hundred times as much.
 */
import { runConfig } from '../../src/headless/run';
import type { ConfigInput } from '../../src/protocol/config';
import type { Files } from '../../src/protocol/session';
import type { LossRecord } from '../../src/protocol/trace';

const SHIFT = 1e-6;
const MOST = 1e-4;

export async function roundingDecides(
  config: ConfigInput,
  files: Files,
  losses: readonly LossRecord[],
): Promise<boolean> {
  for (const factor of [1 + SHIFT, 1 - SHIFT]) {
    const { report } = await runConfig(withRates(config, factor), files);
    const moved = losses.some(({ loss }, i) => {
      const other = report.losses[i]?.loss ?? Number.NaN;
      return Math.abs(other - loss) > MOST * Math.max(1, Math.abs(loss));
    });
    if (moved) return true;
  }
  return false;
}

/** Multiplies the rates of the optimiser, its groups and the schedule. */
function withRates(config: ConfigInput, factor: number): ConfigInput {
  const scaled = (settings: object) =>
    Object.fromEntries(
      Object.entries(settings).map(([key, value]) =>
        typeof value === 'number' && /^lr$|Lr$/.test(key) ? [key, value * factor] : [key, value],
      ),
    );
  const { optimizer, scheduler, paramGroups } = config;
  return {
    ...config,
    ...(optimizer && { optimizer: scaled(optimizer) }),
    ...(scheduler && { scheduler: scaled(scheduler) }),
    ...(paramGroups && { paramGroups: paramGroups.map(scaled) }),
  } as ConfigInput;
}
