/**
 * Dawn for Node as `navigator.gpu`, for *.gpu.test.ts and *.null.test.ts. It must be held as long as a device lives and dropped before
 * the process ends; without a driver it throws, because a missing GPU test is a failure, never a skip.
 */
import { create } from 'webgpu';
import { type OpenedDevice, openDevice } from '../device';

export interface NodeGpu {
  /** What `navigator.gpu` is in a browser. */
  readonly gpu: GPU;
  open(): Promise<OpenedDevice>;
  /** Closes what was opened and lets go of Dawn, so that Node can exit. */
  close(): Promise<void>;
}

/** `backend: 'null'` validates and compiles WGSL, but computes nothing. */
export function nodeGpu(options: { readonly backend?: 'null' } = {}): NodeGpu {
  const held: { gpu: GPU | undefined } = { gpu: create(options.backend ? [`backend=${options.backend}`] : []) };
  const opened: OpenedDevice[] = [];
  return {
    get gpu() {
      if (!held.gpu) throw new Error('this NodeGpu is closed');
      return held.gpu;
    },
    async open() {
      const device = await openDevice(held.gpu);
      opened.push(device);
      return device;
    },
    async close() {
      for (const each of opened) each.close();
      await Promise.all(opened.map((each) => each.lost));
      held.gpu = undefined;
    },
  };
}
