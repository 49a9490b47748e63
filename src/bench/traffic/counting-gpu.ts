/**
 * A WebGPU whose kernels count what they do (counting-source.ts): every dispatch gets a buffer of counters and bitmaps
 * as group 2 of its pipeline. Code that runs on it needs no change. Optionally the adapter claims to be hardware, so
 * that runs use the kernels for hardware. Used by traffic.ts and by tests.
 */
import { at, must } from '../../base/invariant';
import { COUNTERS, countingSource, TABLE, workgroupBytes } from './counting-source';

export interface CountedDispatch {
  /** Kernel with its constants (kernelKey). */
  readonly label: string;
  readonly workgroups: readonly [number, number, number];
  readonly invocations: number;
  /** The bytes of every load and every store, without caches; the block table's bytes are only in `table`. */
  readonly read: number;
  readonly written: number;
  readonly table: number;
  /** The bytes of all words read, and of all words written; each word counts once. */
  readonly leastRead: number;
  readonly leastWritten: number;
  /** Number of barriers that an invocation passes. */
  readonly barriers: number;
  readonly workgroupBytes: number;
}

export interface CountingGpu {
  readonly gpu: GPU;
  /** The dispatches since the last call, with their counts. */
  take(): Promise<readonly CountedDispatch[]>;
}

interface Range {
  readonly binding: number;
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

interface Recorded {
  readonly label: string;
  readonly workgroups: readonly [number, number, number];
  readonly ranges: readonly Range[];
  readonly counters: GPUBuffer;
  readonly bases: readonly number[];
  readonly bytes: number;
}

const [COPY_SRC, COPY_DST, STORAGE, MAP_READ] = [0x4, 0x8, 0x80, 0x1];
const STAGE_COMPUTE = 4;
const COUNTER_BUFFERS = 1;

export function countingGpu(real: GPU, { asHardware = false }: { readonly asHardware?: boolean } = {}): CountingGpu {
  let recorder: DispatchRecorder | undefined;
  const requestAdapter = async (options?: GPURequestAdapterOptions): Promise<GPUAdapter | null> => {
    const adapter = await real.requestAdapter(options);
    if (!adapter) return null;
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const more = { maxStorageBuffersPerShaderStage: TABLE + COUNTER_BUFFERS };
      const device = await requestDevice({
        ...descriptor,
        requiredLimits: { ...descriptor?.requiredLimits, ...more },
      });
      recorder = new DispatchRecorder(device);
      return device;
    };
    const info = { vendor: 'counting', architecture: '', device: '', description: '', isFallbackAdapter: false };
    if (asHardware) Object.defineProperty(adapter, 'info', { value: info });
    return adapter;
  };
  return {
    gpu: { requestAdapter } as unknown as GPU,
    take: () => must(recorder, 'a device').take(),
  };
}

class DispatchRecorder {
  private recorded: Recorded[] = [];
  private readonly counting: GPUBindGroupLayout;
  private readonly memoryOf = new Map<string, number>();
  private readonly rangesOf = new WeakMap<GPUBindGroup, readonly Range[]>();

  constructor(private readonly device: GPUDevice) {
    this.counting = device.createBindGroupLayout({
      label: 'counters',
      entries: [{ binding: 0, visibility: STAGE_COMPUTE, buffer: { type: 'storage' } }],
    });
    const createShaderModule = device.createShaderModule.bind(device);
    device.createShaderModule = (descriptor) => {
      this.memoryOf.set(descriptor.label ?? '', workgroupBytes(descriptor.code));
      return createShaderModule({ ...descriptor, code: countingSource(descriptor.code) });
    };
    const createPipelineLayout = device.createPipelineLayout.bind(device);
    device.createPipelineLayout = (descriptor) =>
      createPipelineLayout({ ...descriptor, bindGroupLayouts: [...descriptor.bindGroupLayouts, this.counting] });
    const createBindGroup = device.createBindGroup.bind(device);
    device.createBindGroup = (descriptor) => {
      const group = createBindGroup(descriptor);
      const ranges = [...descriptor.entries].map(({ binding, resource }): Range => {
        const { buffer, offset = 0, size } = resource as GPUBufferBinding;
        return { binding, buffer, offset, size: size ?? buffer.size - offset };
      });
      this.rangesOf.set(group, ranges);
      return group;
    };
    const createCommandEncoder = device.createCommandEncoder.bind(device);
    device.createCommandEncoder = (descriptor) => {
      const encoder = createCommandEncoder(descriptor);
      const beginComputePass = encoder.beginComputePass.bind(encoder);
      encoder.beginComputePass = (pass) => this.watch(beginComputePass(pass), createBindGroup);
      return encoder;
    };
  }

  private watch(pass: GPUComputePassEncoder, bind: GPUDevice['createBindGroup']): GPUComputePassEncoder {
    let label = '';
    let ranges: readonly Range[] = [];
    const setPipeline = pass.setPipeline.bind(pass);
    pass.setPipeline = (pipeline) => {
      label = pipeline.label;
      setPipeline(pipeline);
    };
    const setBindGroup = pass.setBindGroup.bind(pass);
    pass.setBindGroup = ((index: number, group: GPUBindGroup) => {
      if (index === 0) ranges = must(this.rangesOf.get(group), 'the ranges of a bind group');
      setBindGroup(index, group);
    }) as typeof pass.setBindGroup;
    const dispatchWorkgroups = pass.dispatchWorkgroups.bind(pass);
    pass.dispatchWorkgroups = (x, y = 1, z = 1) => {
      const recorded = this.record(label, [x, y, z], ranges);
      const { counters } = recorded;
      setBindGroup(2, bind({ layout: this.counting, entries: [{ binding: 0, resource: { buffer: counters } }] }));
      dispatchWorkgroups(x, y, z);
      this.recorded.push(recorded);
    };
    return pass;
  }

  private record(label: string, workgroups: Recorded['workgroups'], ranges: readonly Range[]): Recorded {
    let words: number = COUNTERS.words;
    const bases = ranges.flatMap(({ size }) => {
      const own = Math.ceil(size / 128);
      words += 2 * own;
      return [words - 2 * own, words - own];
    });
    const bytes = 4 * words;
    const counters = this.device.createBuffer({ label: 'counters', size: bytes, usage: STORAGE | COPY_SRC | COPY_DST });
    const header = new Uint32Array(COUNTERS.words);
    ranges.forEach(({ binding }, i) => {
      header.set(bases.slice(2 * i, 2 * i + 2), COUNTERS.bases + 2 * binding);
    });
    this.device.queue.writeBuffer(counters, 0, header);
    return { label, workgroups, ranges, counters, bases, bytes };
  }

  async take(): Promise<readonly CountedDispatch[]> {
    const { recorded, device } = this;
    this.recorded = [];
    const all: CountedDispatch[] = [];
    for (const each of recorded) {
      const copy = device.createBuffer({ size: each.bytes, usage: MAP_READ | COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(each.counters, 0, copy, 0, each.bytes);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(1);
      all.push(this.resultOf(each, new Uint32Array(copy.getMappedRange())));
      copy.destroy();
      each.counters.destroy();
    }
    return all;
  }

  private resultOf({ label, workgroups, ranges, bases }: Recorded, words: Uint32Array): CountedDispatch {
    const counter = (i: number) => at(words, i) + 2 ** 32 * at(words, i + 1);
    const sum = (from: number) => ranges.reduce((total, { binding }) => total + counter(from + 2 * binding), 0);
    const invocations = counter(COUNTERS.invocations);
    return {
      ...{ label, workgroups, invocations },
      ...{ read: sum(COUNTERS.read), written: sum(COUNTERS.written), table: counter(COUNTERS.read + 2 * TABLE) },
      leastRead: 4 * wordsTouched(ranges, (i) => at(bases, 2 * i), words),
      leastWritten: 4 * wordsTouched(ranges, (i) => at(bases, 2 * i + 1), words),
      barriers: counter(COUNTERS.barriers) / Math.max(1, invocations),
      workgroupBytes: must(this.memoryOf.get(at(label.split('('), 0)), `workgroup memory of ${label}`),
    };
  }
}

/** Bindings may show the same memory, as floats and as vectors: a word counts once. Offsets are multiples of 256. */
function wordsTouched(ranges: readonly Range[], baseOf: (i: number) => number, words: Uint32Array): number {
  const touched = new Map<GPUBuffer, Map<number, number>>();
  ranges.forEach(({ buffer, offset, size }, i) => {
    const own = touched.get(buffer) ?? new Map<number, number>();
    touched.set(buffer, own);
    const base = baseOf(i);
    for (let w = 0; w < Math.ceil(size / 128); w++) {
      const bits = at(words, base + w);
      if (bits !== 0) own.set(offset / 128 + w, (own.get(offset / 128 + w) ?? 0) | bits);
    }
  });
  return [...touched.values()].flatMap((own) => [...own.values()]).reduce((sum, bits) => sum + ones(bits), 0);
}

function ones(bits: number): number {
  let count = 0;
  for (let left = bits >>> 0; left !== 0; left = (left & (left - 1)) >>> 0) count++;
  return count;
}
