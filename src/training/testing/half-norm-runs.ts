/**
 * Runs with norms or clip_grad_norm_ in half precision, as torch 2.13 trained them from exported scripts. For
 * parity/half-norms.test.ts and its GPU counterpart.
 */
import type { ConfigInput } from '../../protocol/config';
import recorded from '../fixtures/half-norms.json';

interface HalfNormRun {
  readonly name: string;
  readonly config: ConfigInput;
  /** Of every rank at every step. */
  readonly losses: readonly (readonly number[])[];
  /** Final weights and running statistics of rank 0. */
  readonly weights: ReadonlyMap<string, Float32Array>;
}

const floats = (base64: string): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);

export const HALF_NORM_RUNS: readonly HalfNormRun[] = recorded.runs.map(({ name, config, losses, weights }) => ({
  name,
  config: { ...(config as ConfigInput), compareSingle: false },
  losses,
  weights: new Map(Object.entries(weights).map(([tensor, float32]) => [tensor, floats(float32)])),
}));
