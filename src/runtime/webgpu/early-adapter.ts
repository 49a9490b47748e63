/**
 * A GPU that has been asked for its adapter before anybody needs it: a browser takes a while to start what draws, and a
 * session has enough to do meanwhile. Only the first request of that kind gets it, and only soon, because an adapter
 * gives one device and may have expired by then. Made by the session's worker.
 */
const STILL_FRESH_MS = 5000;

export function withEarlyAdapter(gpu: GPU | undefined): GPU | undefined {
  if (!gpu) return undefined;
  const wanted: GPURequestAdapterOptions = { powerPreference: 'high-performance' };
  const asked = performance.now();
  let early: Promise<GPUAdapter | null> | undefined = gpu.requestAdapter(wanted);
  // Who takes it hears of the failure.
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
