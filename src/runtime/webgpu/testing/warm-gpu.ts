/**
 * A GPU whose devices outlive the tests that use them: a destroyed device is kept and handed to the next test that asks
 * for one with the same label, and what it has compiled once it does not compile again. Compiling kernels is nearly all
 * that a short run on a software adapter takes. Not for tests of lost devices or of leaks: nothing is freed here.
 */
export interface WarmGpu {
  readonly gpu: GPU;
  /** Destroys every device, for good. */
  close(): void;
}

interface KeptDevice {
  readonly device: GPUDevice;
  /** The device's own destroy(), which a lease replaces. */
  readonly end: () => void;
  /** How many modules, layouts and pipelines it has made. */
  readonly compiled: () => number;
  /** Its own properties before any test had it. */
  readonly own: ReadonlySet<PropertyKey>;
  readonly listeners: Parameters<GPUDevice['addEventListener']>[];
}

export function warmGpu(real: GPU): WarmGpu {
  const free = new Map<string, KeptDevice[]>();
  const all: KeptDevice[] = [];

  function lease(kept: KeptDevice, label: string): GPUDevice {
    const { device, listeners, own } = kept;
    // What the test before has put onto it, to watch it.
    for (const name of Reflect.ownKeys(device)) if (!own.has(name)) Reflect.deleteProperty(device, name);
    let resolve: (info: GPUDeviceLostInfo) => void = () => {};
    const lost = new Promise<GPUDeviceLostInfo>((settle) => {
      resolve = settle;
    });
    let leased = true;
    const destroy = () => {
      if (!leased) return;
      leased = false;
      for (const [type, listener] of listeners.splice(0)) device.removeEventListener(type, listener);
      free.set(label, [...(free.get(label) ?? []), kept]);
      resolve({ __brand: 'GPUDeviceLostInfo', reason: 'destroyed', message: 'Device was destroyed.' });
    };
    Object.defineProperties(device, {
      destroy: { value: destroy, configurable: true },
      lost: { value: lost, configurable: true },
    });
    return device;
  }

  async function requestAdapter(options?: GPURequestAdapterOptions): Promise<GPUAdapter | null> {
    const adapter = await real.requestAdapter(options);
    if (adapter === null) return null;
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const key = `${JSON.stringify(options)} ${JSON.stringify(descriptor)}`;
      const known = takeWarmest(free.get(key));
      if (known) return lease(known, key);
      const kept = keep(await requestDevice(descriptor));
      all.push(kept);
      return lease(kept, key);
    };
    return adapter;
  }

  return {
    gpu: { requestAdapter } as unknown as GPU,
    close() {
      for (const { end } of all) end();
    },
  };
}

/** The device that has compiled most: most of what is asked for next is there. */
function takeWarmest(free: KeptDevice[] = []): KeptDevice | undefined {
  const [warmest] = free.toSorted((a, b) => b.compiled() - a.compiled());
  if (warmest) free.splice(free.indexOf(warmest), 1);
  return warmest;
}

function keep(device: GPUDevice): KeptDevice {
  const destroy = device.destroy.bind(device);
  const listeners: KeptDevice['listeners'] = [];
  const listen = device.addEventListener.bind(device);
  device.addEventListener = (...args: Parameters<GPUDevice['addEventListener']>) => {
    listeners.push(args);
    listen(...args);
  };
  const compiled = compileOnce(device);
  return { device, listeners, end: destroy, compiled, own: new Set(Reflect.ownKeys(device)) };
}

/**
 * Equal descriptors give the same module, layout and pipeline. Objects inside a descriptor count by identity. Gives
 * back how many have been made.
 */
function compileOnce(device: GPUDevice): () => number {
  const ids = new Map<object, number>();
  const made = new Map<string, object>();
  const keyOf = (descriptor: object): string =>
    JSON.stringify(descriptor, (_, value: unknown) => {
      const id = typeof value === 'object' && value !== null ? ids.get(value) : undefined;
      return id === undefined ? value : `object ${id}`;
    });
  const once = <D extends object, R extends object>(name: string, make: (descriptor: D) => R) => {
    return (descriptor: D): R => {
      const key = `${name} ${keyOf(descriptor)}`;
      const known = made.get(key);
      if (known !== undefined) return known as R;
      const result = make(descriptor);
      ids.set(result, ids.size);
      made.set(key, result);
      return result;
    };
  };
  device.createShaderModule = once('module', device.createShaderModule.bind(device));
  device.createBindGroupLayout = once('group layout', device.createBindGroupLayout.bind(device));
  device.createPipelineLayout = once('layout', device.createPipelineLayout.bind(device));
  device.createComputePipelineAsync = once('pipeline', device.createComputePipelineAsync.bind(device));
  return () => made.size;
}
