/**
 * Requests an adapter and a GPUDevice and describes them: name, software or not, timestamps or not. Collects the errors
 * that WebGPU reports out of band and turns the loss of the device into a promise. Each call makes its own request,
 * because requestDevice() consumes its adapter; a rank in a worker makes the request in its worker. Called by the
 * session and by the rank workers.
 */
import { LockstepError } from '../../base/errors';
import { isSoftware } from '../../base/is-software';
import { within } from '../../base/within';
import type { ExecutorInfo } from '../executor';
import type { PipelineCache } from './pipelines';
import { memoryTuningStore, type TuningStore } from './tuning/tuning-store';

/** What a rank asks for: a GPU that is fast or that saves power, WebGPU in software, or no WebGPU at all. */
export type AdapterName = 'highPerformance' | 'lowPower' | 'software' | 'cpu';
export type GpuAdapterName = Exclude<AdapterName, 'cpu'>;

export interface DeviceOptions {
  /** Label of the GPUDevice, e.g. 'rank 1'. */
  readonly label?: string;
  /** Default 'highPerformance'. */
  readonly adapter?: GpuAdapterName;
}

export interface CompiledOnce {
  /** Compiled kernels: pipelinesOf() makes the cache for the first executor. */
  pipelines?: PipelineCache;
  /** Whether WGSL's f16 converts exactly here: float16.ts asks the device once. */
  exactF16?: Promise<boolean>;
  /** Whether row reductions have the same bits by subgroups here: subgroups.ts asks the device once. */
  exactSubgroups?: Promise<boolean>;
}

export interface OpenedDevice {
  readonly device: GPUDevice;
  readonly info: ExecutorInfo;
  /** Whether timestamp-query is supported. */
  readonly timestamps: boolean;
  /** What all executors on this device share. */
  readonly compiled: CompiledOnce;
  /** Tunings measured on this device (tuning/choose-tuning.ts). */
  readonly tunings: TuningStore;
  /** Resolves with the reason when the device is lost, close() included. Never rejects. */
  readonly lost: Promise<string>;
  /** The first error since the last call, or 'device-lost' once the device is gone. */
  takeError(): LockstepError | undefined;
  /**
   * The cause of a call's error. A device that is being lost rejects pending calls (mapAsync with an AbortError, for
   * example) before it reports the loss; such an error becomes 'device-lost'. Other errors are returned unchanged.
   * Never rejects.
   */
  explain(error: unknown): Promise<unknown>;
  close(): void;
}

/** How long after a call's error the device may take to report its loss. */
const LOSS_MS = 1000;

export async function openDevice(gpu: GPU | undefined, options: DeviceOptions = {}): Promise<OpenedDevice> {
  if (!gpu) {
    const hint =
      'Use a browser with WebGPU (Chrome, Edge, Safari 26, Firefox 141) over https or localhost, or train on the CPU.';
    throw new LockstepError('no-webgpu', 'This browser has no WebGPU (navigator.gpu is missing).', hint);
  }
  const adapter = await requestAdapter(gpu, options.adapter);
  const device = await requestDevice(adapter, options.label ?? 'lockstep');
  const { vendor, architecture, description } = adapter.info;
  const name =
    [...new Set([vendor, architecture, adapter.info.device, description].filter(Boolean))].join(' ') || 'unknown GPU';
  const software = isSoftware(adapter.info);

  const errors: LockstepError[] = [];
  device.addEventListener('uncapturederror', (event) => {
    event.preventDefault();
    errors.push(gpuError(event.error));
  });
  let lostBecause: string | undefined;
  const lost = device.lost.then((info) => {
    lostBecause = info.message || info.reason || 'unknown reason';
    return lostBecause;
  });
  const takeError = () => (lostBecause === undefined ? errors.shift() : deviceLost(lostBecause));
  return {
    device,
    info: { kind: 'webgpu', adapter: software ? `${name} (software)` : name, software },
    timestamps: device.features.has('timestamp-query'),
    compiled: {},
    tunings: memoryTuningStore(),
    lost,
    takeError,
    async explain(error) {
      const known = error instanceof LockstepError && error.code !== 'gpu';
      if (!known && lostBecause === undefined) await within(LOSS_MS, lost);
      // Nothing here unmaps a buffer that is being mapped: only the loss of the device aborts a map.
      if (lostBecause === undefined && isAbort(error)) return deviceLost('values that were being read back are lost');
      return takeError() ?? error;
    },
    close: () => device.destroy(),
  };
}

const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';

export function deviceLost(reason: string): LockstepError {
  return new LockstepError(
    'device-lost',
    `The GPU device was lost: ${reason}`,
    'Training can continue from the last finished step, on a new device or on the CPU.',
    { reason },
  );
}

function gpuError(error: GPUError): LockstepError {
  const memory =
    /out of memory/i.test(`${error.constructor.name} ${error.message}`) ||
    error.constructor.name === 'GPUOutOfMemoryError';
  if (memory)
    return new LockstepError(
      'memory',
      `WebGPU out of memory: ${error.message}`,
      'Use a smaller model, batch or world size.',
    );
  return new LockstepError('gpu', `WebGPU: ${error.message}`, 'This is a bug in Lockstep or in the driver.', {
    kind: error.constructor.name,
  });
}

const REQUESTS: Readonly<Record<GpuAdapterName, GPURequestAdapterOptions>> = {
  highPerformance: { powerPreference: 'high-performance' },
  lowPower: { powerPreference: 'low-power' },
  software: { forceFallbackAdapter: true },
};

async function requestAdapter(gpu: GPU, wanted: GpuAdapterName = 'highPerformance'): Promise<GPUAdapter> {
  const adapter = await gpu.requestAdapter(REQUESTS[wanted]).catch(() => null);
  if (adapter) return adapter;
  if (wanted === 'software')
    throw new LockstepError(
      'no-adapter',
      'WebGPU has no software adapter on this machine.',
      'List another one in adapters: highPerformance, lowPower or cpu.',
    );
  const hint =
    'The GPU or its driver is missing, or the browser has blocked it (see chrome://gpu); train on the CPU meanwhile.';
  throw new LockstepError('no-adapter', 'WebGPU is here, but it returns no adapter.', hint);
}

/** The features that are used where the adapter has them. */
const FEATURES = ['timestamp-query', 'shader-f16', 'subgroups'] as const;

async function requestDevice(adapter: GPUAdapter, label: string): Promise<GPUDevice> {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  try {
    return await adapter.requestDevice({
      label,
      requiredFeatures: FEATURES.filter((feature) => adapter.features.has(feature)),
      requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LockstepError(
      'no-adapter',
      `The WebGPU adapter returns no device: ${reason}`,
      'Close other pages that use the GPU, or train on the CPU.',
      { reason },
    );
  }
}
