/**
 * The same bits as before on WebGPU, for a part of the table of bits.test.ts. Another GPU may round otherwise: on
 * another adapter than the one that the hashes were recorded on, each run is run twice and must end with the same bits.
 *
 * @module-tag rest: parity.gpu.test.ts and ddp-scripts.gpu.test.ts train in every mode on the same kernels, held to
 * PyTorch.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { ON_WEBGPU, WEBGPU_RUNS } from '../testing/bits/on-webgpu';
import { CHANGED, RECORDING, recordBits, recordedBits, shout } from '../testing/bits/recorded-bits';
import { runBits } from '../testing/bits/run-bits';

const { on, bits: before } = recordedBits().webgpu;
const recorded = new Map(Object.entries(before));
const found = new Map(recorded);

let node: NodeGpu;
let adapter = '';
beforeAll(async () => {
  node = nodeGpu({ warm: true });
  const { vendor, architecture, device, description } = (await node.gpu.requestAdapter())?.info ?? {};
  adapter = [vendor, architecture, device, description].filter(Boolean).join(', ');
  if (!RECORDING && adapter !== on)
    shout([
      `THE BITS OF WEBGPU WERE RECORDED ON ANOTHER ADAPTER: "${on}", not "${adapter}".`,
      'Nothing is held to the record here: every run is run twice, and must end with the same bits.',
    ]);
});
afterAll(async () => {
  await node.close();
  if (RECORDING) recordBits('webgpu', adapter, WEBGPU_RUNS, found);
});

/** What a small net in every mode and placement, and each optimiser and hook in one, does not run. */
const LARGE = /gpt|cnn|mixed|attention|strides/;
const SMALL_ONES = 'the small net runs in the same modes, and parity.gpu.test.ts trains a CNN and a GPT';
const IN_WORKERS = 'parity.gpu.test.ts holds one GPUDevice per rank to the bits of the shared run';

for (const { name, config } of WEBGPU_RUNS)
  test(
    name,
    place({
      modes: [config.mode ?? 'single'],
      rest: LARGE.test(name) ? SMALL_ONES : config.placement === 'workers' ? IN_WORKERS : undefined,
    }),
    async () => {
      const { bits, finite } = await runBits(config, 'webgpu', node.gpu);
      expect(finite, 'NaN hides changes').toBe(true);
      found.set(name, bits);
      if (RECORDING) return;
      if (adapter === on) expect(bits, CHANGED).toBe(recorded.get(name));
      else expect((await runBits(config, 'webgpu', node.gpu)).bits).toBe(bits);
    },
  );

test('every pattern has its runs, and every recorded name its configuration', () => {
  const names = WEBGPU_RUNS.map(({ name }) => name);
  expect(ON_WEBGPU.filter((pattern) => !names.some((name) => pattern.test(name)))).toEqual([]);
  if (!RECORDING) expect([...recorded.keys()].sort()).toEqual(names.sort());
});
