/**
 * Whether rounding decides what a run becomes: an input of ReLU next to 0, or a norm over values that hardly differ.
 * Two correct programs then end with other weights. The same run with slightly higher and slightly lower rates tells:
 *
 * - its losses must not move by more than a hundred times as much as the rates;
 * - its losses and weights must move as far up as down. What is left over is rounding, and must stay far below the bar
 *   of the comparison.
 */
import { at } from '../../src/base/invariant';
import { runConfig } from '../../src/headless/run';
import type { RunResult } from '../../src/headless/run-options';
import { readSafetensors } from '../../src/interop/safetensors';
import type { ConfigInput } from '../../src/protocol/config';
import type { Files } from '../../src/protocol/session';

const SHIFTS = [1e-6, 3e-6, 1e-5];
/** With halves, whose numbers are further apart. */
const SHIFTS_OF_HALVES = [...SHIFTS, 1e-4, 1e-3];
/** The bar of a run with halves: one rounding the other way. */
export const HALVES = 0.03;
/** A loss, for a shift of the rates by 1. */
const MOST = 100;
/** Of the bar. PyTorch rounds at more places than the shifted runs, in which most numbers stay the same. */
const LEFT_OVER = 0.1;

export async function roundingDecides(
  config: ConfigInput,
  files: Files,
  own: RunResult,
  bar: number,
): Promise<boolean> {
  const numbers = numbersOf(own);
  for (const shift of bar >= HALVES ? SHIFTS_OF_HALVES : SHIFTS) {
    const shifted = async (factor: number) => numbersOf(await runConfig(withRates(config, factor), files));
    const [up, down] = [await shifted(1 + shift), await shifted(1 - shift)];
    const decides = numbers.some(({ value, isLoss }, i) => {
      const [higher, lower] = [at(up, i).value, at(down, i).value];
      const scale = Math.max(1, Math.abs(value));
      const moved = Math.max(Math.abs(higher - value), Math.abs(lower - value)) / scale;
      if (Number.isNaN(moved)) return Number.isNaN(value) !== (Number.isNaN(higher) && Number.isNaN(lower));
      return (isLoss && moved > MOST * shift) || Math.abs(higher + lower - 2 * value) / scale > LEFT_OVER * bar;
    });
    if (decides) return true;
  }
  return false;
}

/** The losses of all steps, and the weights after the last. */
const numbersOf = ({ report, weights }: RunResult): readonly { readonly value: number; readonly isLoss: boolean }[] => [
  ...report.losses.map(({ loss }) => ({ value: loss, isLoss: true })),
  ...readSafetensors('', weights()).flatMap(({ data }) =>
    [...data].map((value) => ({ value: Number(value), isLoss: false })),
  ),
];

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
