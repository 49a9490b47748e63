/**
 * `fusedMultiplyAdd`: whole runs come as near to those without as rounding allows, with the same bits for any number of
 * threads, and the report says what the setting did.
 */
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { at } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import { cnnLayers, gptLayers } from '../protocol/presets';
import { runConfig } from './run';

// Node.js before version 22 has relaxed SIMD behind a flag.
if (Number.parseInt(process.versions.node, 10) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');

const COMMON = { mode: 'single', worldSize: 1, steps: 4, device: 'cpu', compareSingle: false } as const;
const NETS: Record<string, ConfigInput> = {
  cnn: {
    ...COMMON,
    model: { layers: cnnLayers(12, [4, 8], 10) },
    data: { type: 'shapes', samples: 64, size: 12 },
    loss: { type: 'CrossEntropyLoss' },
    batchSize: 16,
  },
  gpt: {
    ...COMMON,
    model: { layers: gptLayers({ vocab: 30, context: 16, width: 32, heads: 2, layers: 1 }) },
    data: { type: 'text', context: 16, text: 'the quick brown fox jumps over the lazy dog. '.repeat(20) },
    loss: { type: 'CrossEntropyLoss' },
    batchSize: 8,
  },
};

const saidOf = (notices: readonly { readonly id: string; readonly text: string }[]): string | undefined =>
  notices.find(({ id }) => id === 'fusedMultiplyAdd')?.text;

it.each(Object.keys(NETS))('%s', async (name) => {
  const net = NETS[name] ?? {};
  const { report: plain } = await runConfig(net, {});
  const { report: fused } = await runConfig({ ...net, fusedMultiplyAdd: true }, {});
  const { report: threads } = await runConfig({ ...net, fusedMultiplyAdd: true, threads: 2 }, {});
  expect(threads.weightsSha256).toBe(fused.weightsSha256);
  plain.losses.forEach(({ loss }, step) => {
    expect(Math.abs(at(fused.losses, step).loss - loss), `step ${step}`).toBeLessThan(2e-6 * loss);
  });
  expect(saidOf(plain.notices)).toBeUndefined();
  // The report says which machine it is.
  const said = saidOf(fused.notices);
  expect(said).toMatch(/use fused multiply-add|changes no bit here/);
  expect(fused.weightsSha256 !== plain.weightsSha256).toBe(said?.includes('use fused') === true);
});

it('says where the setting has no effect', async () => {
  const { report } = await runConfig({ ...COMMON, fusedMultiplyAdd: true }, {});
  expect(saidOf(report.notices)).toContain('no operator of this net is large enough');
});
