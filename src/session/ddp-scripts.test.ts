/**
 * DDP's settings against scripts of real PyTorch (gloo, 1.13): losses of every rank in every micro-batch, and what each rank holds in the end, running statistics
 * included. The scripts draw data, then model, with one seed, as the listing does.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import type { LossRecord } from '../protocol/trace';
import { createBlueprint } from './blueprint';
import { DeviceKeeper } from './device-keeper';
import fixtures from './fixtures/ddp-scripts.json';
import { parseConfig } from './parse-config';
import { createTraining } from './training';

interface Script {
  readonly name: string;
  readonly config: ConfigInput;
  /** Micro-batches of the rank that had most. */
  readonly steps: number;
  /** PyTorch refused the one after. */
  readonly stops: boolean;
  readonly losses: readonly (readonly number[])[];
  readonly state: readonly Readonly<Record<string, readonly number[]>>[];
}

const SCRIPTS = fixtures as unknown as readonly Script[];

async function trained(config: ConfigInput, steps: number, stops: boolean) {
  const blueprint = createBlueprint(parseConfig({ ...config, device: 'cpu', compareSingle: false }), {});
  const keeper = new DeviceKeeper(undefined, true);
  const training = await createTraining(blueprint, { keeper, gpu: undefined });
  try {
    const records: LossRecord[] = [];
    while (records.length < steps) records.push(...(await training.run(steps - records.length)));
    const refused = stops ? await training.run(1).catch((error: unknown) => error) : undefined;
    return { records, weights: await training.weights(), refused };
  } finally {
    await training.dispose();
  }
}

describe.each(SCRIPTS)('$name', ({ config, steps, stops, losses, state }) => {
  test.each(['shared', 'workers'] as const)('%s', async (placement) => {
    const { records, weights, refused } = await trained({ ...config, placement }, steps, stops);
    losses.forEach((own, rank) => {
      const ours = records.map(({ perRank }) => at(perRank, rank)).filter((loss) => !Number.isNaN(loss));
      expect(ours).toHaveLength(own.length);
      own.forEach((loss, k) => {
        expect(Math.abs(at(ours, k) - loss), `rank ${rank}, micro-batch ${k}`).toBeLessThan(2e-5 * (loss + 0.01));
      });
    });
    state.forEach((own, rank) => {
      for (const [name, values] of Object.entries(own)) {
        const ours = must(at(weights.devices, rank).get(name), name);
        const apart = Math.max(...values.map((value, i) => Math.abs(at(ours, i) - value)));
        expect(apart, `${name} of rank ${rank}`).toBeLessThan(2e-5);
      }
    });
    if (stops) expect(String(refused)).toContain('Expected to have finished reduction in the prior iteration');
  });
});
