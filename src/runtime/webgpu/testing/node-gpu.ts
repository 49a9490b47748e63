/**
 * Dawn for Node as `navigator.gpu`, for *.gpu.test.ts and *.null.test.ts. It must be held as long as a device lives and
 * dropped before the process ends; without a driver it throws, because a missing GPU test is a failure, never a skip.
 */
import { create } from 'webgpu';
import { pollPatiently } from '../../../base/patient-polling';
import { type OpenedDevice, openDevice } from '../device';
import { type WarmGpu, warmGpu } from './warm-gpu';

export interface NodeGpu {
  /** What `navigator.gpu` is in a browser. */
  readonly gpu: GPU;
  open(): Promise<OpenedDevice>;
  /** Closes what was opened and lets go of Dawn, so that Node can exit. */
  close(): Promise<void>;
}

export interface NodeGpuOptions {
  /** 'null' validates and compiles WGSL, but computes nothing. */
  readonly backend?: 'null';
  /** Devices, with what they have compiled, outlive the runs that open them (warm-gpu.ts). */
  readonly warm?: boolean;
}

export function nodeGpu(options: NodeGpuOptions = {}): NodeGpu {
  // Everything that refers to Dawn lies in here, so that close() can let go of it.
  const held: { gpu: GPU | undefined; warm: WarmGpu | undefined } = { gpu: undefined, warm: undefined };
  pollPatiently();
  held.gpu = create(options.backend ? [`backend=${options.backend}`] : []);
  if (options.warm) held.warm = warmGpu(held.gpu);
  const opened: OpenedDevice[] = [];
  const gpu = (): GPU => {
    if (!held.gpu) throw new Error('this NodeGpu is closed');
    return held.warm?.gpu ?? held.gpu;
  };
  return {
    get gpu() {
      return gpu();
    },
    async open() {
      const device = await openDevice(gpu());
      opened.push(device);
      return device;
    },
    async close() {
      for (const each of opened) each.close();
      await Promise.all(opened.map((each) => each.lost));
      await held.warm?.close();
      held.warm = undefined;
      held.gpu = undefined;
    },
  };
}
