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
  /**
   * Devices, with what they have compiled, outlive the runs and the files that open them (warm-gpu.ts). They live as
   * long as the process, which vitest keeps for many files: close() leaves them open.
   */
  readonly warm?: boolean;
}

/** Of the process. */
let shared: { readonly gpu: GPU; readonly warm: WarmGpu } | undefined;

/** Dawn and the devices of all tests with `warm`. */
function warmDawn(): WarmGpu {
  if (shared) return shared.warm;
  const gpu = create([]);
  shared = { gpu, warm: warmGpu(gpu) };
  // Node must not end while anything refers to Dawn.
  process.once('exit', () => {
    shared?.warm.close();
    shared = undefined;
  });
  return shared.warm;
}

export function nodeGpu(options: NodeGpuOptions = {}): NodeGpu {
  // Everything that refers to Dawn lies in here, so that close() can let go of it.
  const held: { gpu: GPU | undefined } = { gpu: undefined };
  pollPatiently();
  held.gpu = options.warm ? warmDawn().gpu : create(options.backend ? [`backend=${options.backend}`] : []);
  const opened: OpenedDevice[] = [];
  const gpu = (): GPU => {
    if (!held.gpu) throw new Error('this NodeGpu is closed');
    return held.gpu;
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
      held.gpu = undefined;
    },
  };
}
