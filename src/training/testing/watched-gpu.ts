/** A GPU that counts what lives on it: devices, buffers and their bytes. For tests of leaks; it changes nothing. */
import { must } from '../../base/invariant';

export interface GpuUse {
  readonly devices: number;
  readonly buffers: number;
  readonly bytes: number;
}

export interface WatchedGpu {
  readonly gpu: GPU;
  /** Devices ever made, in order. */
  readonly devices: readonly GPUDevice[];
  /** What is alive now: buffers of devices that are neither destroyed nor lost. */
  use(): GpuUse;
  /** Buffers ever made. */
  made(): number;
}

export function watchGpu(real: GPU): WatchedGpu {
  const devices: GPUDevice[] = [];
  const live = new Map<GPUDevice, Set<GPUBuffer>>();
  let made = 0;
  const watch = (device: GPUDevice): GPUDevice => {
    const buffers = new Set<GPUBuffer>();
    devices.push(device);
    live.set(device, buffers);
    const createBuffer = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = createBuffer(descriptor);
      made++;
      buffers.add(buffer);
      const destroy = buffer.destroy.bind(buffer);
      buffer.destroy = () => {
        buffers.delete(buffer);
        return destroy();
      };
      return buffer;
    };
    void device.lost.then(() => live.delete(device));
    return device;
  };
  const requestAdapter = async () => {
    const adapter = must(await real.requestAdapter(), 'an adapter');
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => watch(await requestDevice(descriptor));
    return adapter;
  };
  return {
    gpu: { requestAdapter } as unknown as GPU,
    devices,
    use() {
      const buffers = [...live.values()].flatMap((set) => [...set]);
      return { devices: live.size, buffers: buffers.length, bytes: buffers.reduce((sum, b) => sum + b.size, 0) };
    },
    made: () => made,
  };
}
