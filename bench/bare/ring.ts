/**
 * The copies and additions of a ring all-reduce of virtual ranks, in plain WebGPU: N(N-1) dispatches of a hand-written
 * kernel that adds one chunk to another, with whole vectors and many vectors per invocation, then N(N-1)
 * copyBufferToBuffer calls; one buffer per rank, one submit, without planning or look-ups. The second yardstick has the
 * least possible traffic: one kernel that reads every replica once and writes every replica once. Yardsticks of
 * studies/all-reduce-shared.ts.
 */
const STORAGE = 128;
const COPY = 4 | 8;
const THREADS = 64;
/** Vectors that an invocation adds: the fastest of 4, 16, 64 and 256 on SwiftShader. */
const VECTORS = 64;

export interface Bare {
  run(count: number): Promise<void>;
  dispose(): void;
}

const ADD = `
@group(0) @binding(0) var<storage, read> arriving: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> own: array<vec4f>;
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = group.x * ${THREADS * VECTORS}u + local.x;
  for (var k = 0u; k < ${VECTORS}u; k++) {
    let i = first + k * ${THREADS}u;
    if (i < arrayLength(&own)) { own[i] = own[i] + arriving[i]; }
  }
}`;

export function bareRing(device: GPUDevice, ranks: number, bytes: number): Bare {
  const chunk = bytes / ranks;
  const buffers = Array.from({ length: ranks }, () => device.createBuffer({ size: bytes, usage: STORAGE | COPY }));
  const pipeline = pipelineOf(device, ADD);
  const bufferOf = (rank: number): GPUBuffer => {
    const buffer = buffers[rank % ranks];
    if (!buffer) throw new Error(`no rank ${rank}`);
    return buffer;
  };
  const hops = (start: number) =>
    Array.from({ length: (ranks - 1) * ranks }, (_, k) => {
      const [round, rank] = [Math.floor(k / ranks), k % ranks];
      return { from: bufferOf(rank), to: bufferOf(rank + ranks - 1), offset: ((rank + start + round) % ranks) * chunk };
    });
  const range = (buffer: GPUBuffer, offset: number) => ({ buffer, offset, size: chunk });
  const additions = hops(1).map(({ from, to, offset }) =>
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: range(from, offset) },
        { binding: 1, resource: range(to, offset) },
      ],
    }),
  );
  const copies = hops(0);
  return bare(device, buffers, (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (const group of additions) {
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(Math.ceil(chunk / 16 / THREADS / VECTORS));
    }
    pass.end();
    for (const { from, to, offset } of copies) encoder.copyBufferToBuffer(from, offset, to, offset, chunk);
  });
}

/** The kernel reads and writes each replica once. */
export function bareFold(device: GPUDevice, ranks: number, bytes: number): Bare {
  const replica = bytes / 16;
  const all = (text: (place: string) => string, between: string) =>
    Array.from({ length: ranks }, (_, rank) => text(`memory[i + ${rank * replica}u]`)).join(between);
  const pipeline = pipelineOf(
    device,
    `
@group(0) @binding(0) var<storage, read_write> memory: array<vec4f>;
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = group.x * ${THREADS * VECTORS}u + local.x;
  for (var k = 0u; k < ${VECTORS}u; k++) {
    let i = first + k * ${THREADS}u;
    if (i < ${replica}u) {
      let sum = ${all((place) => place, ' + ')};
      ${all((place) => `${place} = sum;`, '\n      ')}
    }
  }
}`,
  );
  const buffer = device.createBuffer({ size: bytes * ranks, usage: STORAGE | COPY });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer } }],
  });
  return bare(device, [buffer], (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(replica / THREADS / VECTORS));
    pass.end();
  });
}

function bare(device: GPUDevice, buffers: readonly GPUBuffer[], encode: (encoder: GPUCommandEncoder) => void): Bare {
  return {
    async run(count) {
      for (let done = 0; done < count; done++) {
        const encoder = device.createCommandEncoder();
        encode(encoder);
        device.queue.submit([encoder.finish()]);
      }
      await device.queue.onSubmittedWorkDone();
    },
    dispose() {
      for (const buffer of buffers) buffer.destroy();
    },
  };
}

const pipelineOf = (device: GPUDevice, code: string): GPUComputePipeline =>
  device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
  });
