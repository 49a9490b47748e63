/** Dawn's polling goes through pollPatiently(): another version of Dawn may ask in another way. */
import { expect, test, vi } from 'vitest';
import { nodeGpu } from './node-gpu';

test('while Dawn compiles it asks every millisecond', async () => {
  const later = vi.spyOn(globalThis, 'setTimeout');
  const node = nodeGpu();
  const { device } = await node.open();
  later.mockClear();
  const polls = () => later.mock.calls.filter(([, milliseconds]) => milliseconds === 1).length;
  // A thread that pauses may find the first one compiled before it asks.
  for (let n = 0; n < 8 && polls() === 0; n++) {
    // So long that no driver compiles it in a few microseconds.
    const body = Array.from({ length: 100 }, (_, i) => `for (var i = ${n}u; i < x[${i}]; i++) { x[${i}] += x[i]; }`);
    const code = `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
      @compute @workgroup_size(1) fn main() { ${body.join('\n')} }`;
    await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
    });
  }
  expect(polls()).toBeGreaterThan(0);
  await node.close();
});
