/**
 * A run that real PyTorch made with --precision bf16: its configuration, and the report of it, recorded with
 * `LOCKSTEP_RECORD=1 npx vitest run --project torch src/reports/causes`. For tests.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { ConfigInput } from '../../../protocol/config';

export const PRECISION_RUN: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 16 },
      { type: 'Tanh' },
      { type: 'Linear', in: 16, out: 16 },
      { type: 'Tanh' },
      { type: 'Linear', in: 16, out: 1 },
    ],
  },
  data: { type: 'spiral', samples: 96 },
  batchSize: 32,
  mode: 'single',
  steps: 8,
  device: 'cpu',
  compareSingle: false,
};
/** The number of steps with parameters and gradients in the reports. */
export const PRECISION_HISTORY = 2;

const file = new URL('../fixtures/bf16-report.json', import.meta.url);
export const recordedBf16 = (): string => readFileSync(file, 'utf8');
/** Records the parts of torch's report that show the cause, without weights, times and memory. */
export function recordBf16(text: string): void {
  const { engine, losses, history } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  writeFileSync(file, `${JSON.stringify({ engine, losses, history })}\n`);
}
