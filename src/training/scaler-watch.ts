/**
 * Reads a GradScaler's state on the host after each step: the scale, and the number of skipped steps, on which the next
 * step's scalars depend (Adam counts only steps that were taken). torch reads found_inf in scaler.step() for the same
 * reason. Called by training-on-worlds.ts.
 */
import { SCALE, SKIPPED } from '../parallel/scaler-buffers';
import type { ScalerRecord } from '../protocol/trace';
import type { World } from '../runtime/launch/world';

export interface ScalerWatch {
  /** Steps skipped so far, by the run and by its single-device reference. */
  readonly skipped: number;
  readonly referenceSkipped: number;
  /** Reads the devices' state; returns the run's record of the last step. */
  read(): Promise<ScalerRecord>;
}

export function scalerWatch(world: World, reference: World | undefined): ScalerWatch {
  let [skipped, referenceSkipped] = [0, 0];
  const stateOf = async (of: World): Promise<readonly [scale: number, skipped: number]> => {
    const [scale, count] = await of.read([SCALE, SKIPPED].map((buffer) => ({ device: 0, buffer })));
    return [scale?.[0] ?? 0, count?.[0] ?? 0];
  };
  return {
    get skipped() {
      return skipped;
    },
    get referenceSkipped() {
      return referenceSkipped;
    },
    async read() {
      const before = skipped;
      const [[scale, own], other] = await Promise.all([stateOf(world), reference && stateOf(reference)]);
      skipped = own;
      referenceSkipped = other?.[1] ?? 0;
      return { scale, skipped: own > before, skippedSteps: own };
    },
  };
}
