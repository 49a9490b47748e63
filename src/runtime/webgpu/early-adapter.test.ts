import { expect, test, vi } from 'vitest';
import { withEarlyAdapter } from './early-adapter';

const fast: GPURequestAdapterOptions = { powerPreference: 'high-performance' };

/** A GPU whose adapters are null, and how often it was asked. */
function askedGpu() {
  const requestAdapter = vi.fn(async (_?: GPURequestAdapterOptions) => null);
  const gpu = { requestAdapter, getPreferredCanvasFormat: () => 'rgba8unorm' } as unknown as GPU;
  return { gpu, requestAdapter };
}

test('the adapter is requested at once, and given to the first matching request', async () => {
  const { gpu, requestAdapter } = askedGpu();
  const early = withEarlyAdapter(gpu);
  expect(requestAdapter.mock.calls).toEqual([[fast]]);
  await early?.requestAdapter(fast);
  expect(requestAdapter).toHaveBeenCalledTimes(1);
  await early?.requestAdapter(fast);
  expect(requestAdapter).toHaveBeenCalledTimes(2);
});

test('a request for another adapter is sent anew, and the rest of the GPU object is unchanged', async () => {
  const { gpu, requestAdapter } = askedGpu();
  const early = withEarlyAdapter(gpu);
  await early?.requestAdapter({ forceFallbackAdapter: true });
  expect(requestAdapter).toHaveBeenLastCalledWith({ forceFallbackAdapter: true });
  expect(early?.getPreferredCanvasFormat()).toBe('rgba8unorm');
  expect(withEarlyAdapter(undefined)).toBeUndefined();
});

test('an adapter that has waited long is no longer given', async () => {
  vi.useFakeTimers();
  try {
    const { gpu, requestAdapter } = askedGpu();
    const early = withEarlyAdapter(gpu);
    vi.advanceTimersByTime(6000);
    await early?.requestAdapter(fast);
    expect(requestAdapter).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});
