/**
 * Runs a configuration for 20 optimizer steps and hashes what it ends with: 64 bits over the parameters and buffers of
 * every device (and of the single device beside it), by name in sorted order, and 64 bits over all of its losses.
 * Called by parity/bits.test.ts and bits.gpu.test.ts. It is the one place that knows how a training is opened.
 */
import { createHash } from 'node:crypto';
import { parseConfig } from '../../../config/parse-config';
import type { ConfigInput } from '../../../protocol/config';
import { createBlueprint } from '../../blueprint';
import { createTraining } from '../../create-training';
import { DeviceKeeper } from '../../device-keeper';
import type { Weights } from '../../weights/weights';

const STEPS = 20;

export interface RunBits {
  /** Both hashes, as they are recorded: 'weights 0123456789abcdef, losses 0123456789abcdef'. */
  readonly bits: string;
  /** Whether every weight and every loss is a number that can differ: NaN would hide any change. */
  readonly finite: boolean;
}

export async function runBits(input: ConfigInput, device: 'cpu' | 'webgpu', gpu?: GPU): Promise<RunBits> {
  const config = parseConfig({ ...input, device });
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(createBlueprint(config, {}), { keeper, gpu });
  try {
    const records = await training.run(STEPS * config.accumulate);
    const weights = await training.weights();
    return {
      bits: `weights ${hashOfWeights(weights)}, losses ${hashOfLosses(records.map(({ perRank }) => perRank))}`,
      finite: records.length === STEPS * config.accumulate && allFinite(weights),
    };
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

const copies = ({ devices, reference }: Weights) => (reference ? [...devices, reference] : devices);

function hashOfWeights(weights: Weights): string {
  const hash = createHash('sha256');
  copies(weights).forEach((held, device) => {
    for (const name of [...held.keys()].sort()) {
      const values = held.get(name) ?? new Float32Array(0);
      hash.update(`${device} ${name} ${values.length}\n`);
      hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
  });
  return hash.digest('hex').slice(0, 16);
}

/** A number as text says all of its bits; NaN is a rank that has run out of batches. */
function hashOfLosses(losses: readonly (readonly number[])[]): string {
  return createHash('sha256')
    .update(losses.map((perRank) => perRank.map(String).join(' ')).join('\n'))
    .digest('hex')
    .slice(0, 16);
}

const allFinite = (weights: Weights): boolean =>
  copies(weights).every((held) => [...held.values()].every((values) => values.every(Number.isFinite)));
