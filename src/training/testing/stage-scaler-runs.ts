/**
 * Runs with a GradScaler whose model is on several devices or ranks, as torch 2.13 trained them from exported scripts.
 * For parity/scaler-of-stages.test.ts and its GPU counterpart.
 */
import { expect } from 'vitest';
import { at, must } from '../../base/invariant';
import { SCALE, SKIPPED } from '../../parallel/scaler-buffers';
import type { ConfigInput } from '../../protocol/config';
import recorded from '../fixtures/scaler-of-stages.json';
import { stateTensors } from '../weights/weights-file';
import { withTraining } from './checkpoint-runs';

export const STAGE_SCALER_RUNS = recorded.runs.map(({ name, config, losses, weights }) => ({
  name,
  config: { ...(config as ConfigInput), compareSingle: false },
  losses: losses as readonly (readonly number[])[],
  /** float32 in base64. */
  weights: new Map(Object.entries(weights)),
}));

const floats = (base64: string): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);

/** Trains the run; losses and weights must be torch's up to `bar`, and the scale the same on every device. */
export async function expectNearTorch(
  { config, losses, weights }: (typeof STAGE_SCALER_RUNS)[number],
  bar: number,
  gpu?: GPU,
): Promise<void> {
  const device = gpu ? 'webgpu' : 'cpu';
  await withTraining(
    { ...config, device },
    {},
    async (training) => {
      const records = await training.run(losses.length);
      const far = records.flatMap(({ perRank }, step) =>
        perRank.map((loss, rank) => Math.abs(loss - at(at(losses, step), rank))),
      );
      expect(Math.max(...far)).toBeLessThan(bar);
      expect(must(records.at(-1)?.scaler, 'a scaler').skippedSteps).toBeGreaterThan(4);
      const { values } = await training.checkpoint();
      for (const buffer of [SCALE, SKIPPED]) {
        const held = values.filter((value) => value.buffer === buffer).map(({ data }) => data[0]);
        expect(held.length, buffer).toBeGreaterThan(1);
        expect(new Set(held).size, buffer).toBe(1);
      }
      const own = new Map(
        stateTensors(training.blueprint, await training.weights()).map((tensor) => [tensor.name, tensor.data]),
      );
      for (const [name, float32] of weights) {
        const found = must(own.get(name), name);
        const apart = floats(float32).map((value, i) => Math.abs(value - Number(found[i])));
        expect(Math.max(...apart), name).toBeLessThan(bar);
      }
    },
    gpu,
  );
}
