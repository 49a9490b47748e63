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
      if (Number.isNaN(loss) || Number.isNaN(other)) return Number.isNaN(loss) !== Number.isNaN(other);
      return Math.abs(other - loss) > MOST * Math.max(1, Math.abs(loss));
    });
    if (moved) return true;
  }
  return false;
}

/** Multiplies the rates of the optimiser, its groups and the schedules, also of schedules inside schedules. */
const withRates = ({ optimizer, scheduler, paramGroups, ...others }: ConfigInput, factor: number): ConfigInput =>
  ({ ...others, ...(scaled({ optimizer, scheduler, paramGroups }, factor) as object) }) as ConfigInput;

function scaled(settings: unknown, factor: number): unknown {
  if (Array.isArray(settings)) return settings.map((one) => scaled(one, factor));
  if (typeof settings !== 'object' || settings === null) return settings;
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      if (value === undefined) return [];
      const isRate = typeof value === 'number' && /^lr$|Lr$/.test(key);
      return [[key, isRate ? value * factor : scaled(value, factor)]];
    }),
  );
}
