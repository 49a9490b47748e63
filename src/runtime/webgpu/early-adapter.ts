/**
 * Requests an adapter before it is needed: a browser takes a while to start its GPU process, and the session works in
 * the meantime. Only the first request of the same kind gets this adapter, and only while it is fresh, because an
 * adapter gives one device and may expire. Made by the session's worker.
 */
const STILL_FRESH_MS = 5000;

export function withEarlyAdapter(gpu: GPU | undefined): GPU | undefined {
  if (!gpu) return undefined;
  const wanted: GPURequestAdapterOptions = { powerPreference: 'high-performance' };
  const asked = performance.now();
  let early: Promise<GPUAdapter | null> | undefined = gpu.requestAdapter(wanted);
  // Whoever awaits the adapter gets the failure.
  early.catch(() => undefined);
  const take = (options: GPURequestAdapterOptions | undefined) => {
    const same = options?.powerPreference === wanted.powerPreference && !options?.forceFallbackAdapter;
    const taken = same && performance.now() - asked < STILL_FRESH_MS ? early : undefined;
    if (same) early = undefined;
    return taken;
  };
  return new Proxy(gpu, {
    get(target, key) {
      if (key === 'requestAdapter')
        return (options?: GPURequestAdapterOptions) => take(options) ?? target.requestAdapter(options);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
