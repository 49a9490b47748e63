/**
 * Scripts with DDP that ran under real PyTorch (gloo, 1.13), and how far a run is from them: losses of every rank, and
 * what each rank holds in the end.
 */
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import type { LossRecord } from '../../protocol/trace';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import fixtures from '../fixtures/ddp-scripts.json';

interface DdpScript {
  readonly name: string;
  readonly config: ConfigInput;
  /** Micro-batches of the rank that had most. */
  readonly steps: number;
  /** PyTorch refused the one after. */
  readonly stops: boolean;
  readonly losses: readonly (readonly number[])[];
  /** Parameters and running statistics of each rank. */
  readonly state: readonly Readonly<Record<string, readonly number[]>>[];
}

export const DDP_SCRIPTS = fixtures as unknown as readonly DdpScript[];

export const scriptNamed = (name: string): DdpScript =>
  must(
    DDP_SCRIPTS.find((script) => script.name === name),
    name,
  );

interface FarFromScript {
  /** |loss - printed| / (printed + 0.01); Infinity where a rank has another number of batches. */
  readonly losses: number;
  readonly state: number;
  /** What the step after the last was refused with, where the script was refused. */
  readonly refused: unknown;
}

export async function farFromScript(
  script: DdpScript,
  run: { readonly device: 'cpu' | 'webgpu'; readonly placement: 'shared' | 'workers'; readonly gpu?: GPU },
): Promise<FarFromScript> {
  const { device, placement, gpu } = run;
  const blueprint = createBlueprint(parseConfig({ ...script.config, device, placement, compareSingle: false }), {});
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu });
  try {
    const records: LossRecord[] = [];
    while (records.length < script.steps) records.push(...(await training.run(script.steps - records.length)));
    const refused = script.stops ? await training.run(1).catch((error: unknown) => error) : undefined;
    const { devices } = await training.weights();
    const losses = script.losses.map((own, rank) => {
      const ours = records.map(({ perRank }) => at(perRank, rank)).filter((loss) => !Number.isNaN(loss));
      if (ours.length !== own.length) return Number.POSITIVE_INFINITY;
      return Math.max(...own.map((loss, k) => Math.abs(at(ours, k) - loss) / (loss + 0.01)));
    });
    const state = script.state.flatMap((own, rank) =>
      Object.entries(own).map(([name, values]) => {
        const ours = must(at(devices, rank).get(name), name);
        return Math.max(...values.map((value, i) => Math.abs(at(ours, i) - value)));
      }),
    );
    return { losses: Math.max(...losses), state: Math.max(...state), refused };
  } finally {
    await training.dispose();
    keeper.forget();
  }
}
