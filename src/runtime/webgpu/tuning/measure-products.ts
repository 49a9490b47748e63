/**
 * Times every kernel that multiplies matrices on an adapter, at one size and in the layout that suits the kernel, for
 * KernelTuning. Takes a few milliseconds per kernel after compiling; called once per unknown hardware adapter
 * (choose-tuning.ts). It does not check results; tests compare the kernels' bits.
 */
import { must } from '../../../base/invariant';
import { type KernelTuning, PRODUCT_KERNELS, type ProductKernel } from '../../../graph/kernel-tuning';
import { grid } from '../../../graph/launch';
import type { DenseLaunch } from '../../../graph/op';
import { productLaunch, type StridedProduct, TILE_KERNELS } from '../../../graph/tiled-product';
import { sharedProduct, slicedProduct, splitProduct } from '../../../graph/workgroup-launches';
import { packParams } from '../dispatch';
import { COPY_DST, STORAGE, UNIFORM } from '../gpu-flags';
import type { PipelineCache } from '../pipelines';

/** m, n and k. */
const SIZE = 512;
/** Shorter times measure submitting more than computing. */
const LONG_ENOUGH_MS = 5;
const MOST_DISPATCHES = 128;

/** The gradient of a weight in a small net: few elements, many steps. */
const SMALL: StridedProduct = { m: 256, n: 128, k: SIZE, steps: [1, 256, 128, 1], a: 0, b: 1, c: 2 };

function launchOf(kernel: ProductKernel): DenseLaunch {
  const alongRows: StridedProduct['steps'] = [SIZE, 1, SIZE, 1];
  const alongK: StridedProduct['steps'] = [SIZE, 1, 1, SIZE];
  const steps = kernel === 'matmul/rows' ? alongRows : alongK;
  const product: StridedProduct = { m: SIZE, n: SIZE, k: SIZE, steps, a: 0, b: 1, c: 2 };
  if (kernel === 'workgroup/product') return sharedProduct(product);
  const tile = TILE_KERNELS.find((each) => each.kernel === kernel);
  if (tile) return productLaunch(tile, product);
  const params = [SIZE, SIZE, SIZE, ...steps];
  return { kind: 'dense', kernel: 'ops/matmul', bindings: [0, 1, 2], params, workgroups: grid(SIZE * SIZE) };
}

export async function measureProducts(
  device: GPUDevice,
  pipelines: PipelineCache,
  shaders: Readonly<Record<string, string>>,
): Promise<KernelTuning> {
  const buffers = ['a', 'b', 'c'].map((name) =>
    device.createBuffer({ label: `tuning ${name}`, size: SIZE * SIZE * 4, usage: STORAGE }),
  );
  const time = (launch: DenseLaunch) => timeOf(launch, device, pipelines, shaders, buffers);
  const times: [ProductKernel, number][] = [];
  let largeTiles = false;
  try {
    for (const kernel of PRODUCT_KERNELS) times.push([kernel, await time(launchOf(kernel))]);
    largeTiles = (await time(slicedProduct(SMALL))) <= (await time(splitProduct(SMALL)));
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
  const fastest = Math.min(...times.map(([, ms]) => ms));
  const relative = times.map(([kernel, ms]) => [kernel, ms / fastest]);
  return { matmul: Object.fromEntries(relative) as KernelTuning['matmul'], workgroups: true, largeTiles };
}

/** Milliseconds of one dispatch. */
async function timeOf(
  launch: DenseLaunch,
  device: GPUDevice,
  pipelines: PipelineCache,
  shaders: Readonly<Record<string, string>>,
  buffers: readonly GPUBuffer[],
): Promise<number> {
  const { pipeline, tensors, params } = await pipelines.compile(
    { kernel: launch.kernel, constants: launch.constants ?? {} },
    shaders,
  );
  const words = packParams(
    launch.params,
    launch.bindings.map(() => 0),
  );
  const uniform = device.createBuffer({ label: 'tuning', size: words.byteLength, usage: UNIFORM | COPY_DST });
  device.queue.writeBuffer(uniform, 0, words);
  const groups = [
    device.createBindGroup({
      layout: tensors,
      entries: launch.bindings.map((operand, binding) => ({
        binding,
        resource: { buffer: must(buffers[operand], 'operand') },
      })),
    }),
    device.createBindGroup({ layout: params, entries: [{ binding: 0, resource: { buffer: uniform } }] }),
  ];
  const run = async (dispatches: number): Promise<number> => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    groups.forEach((group, index) => {
      pass.setBindGroup(index, group);
    });
    for (let i = 0; i < dispatches; i++) pass.dispatchWorkgroups(...launch.workgroups);
    pass.end();
    const commands = encoder.finish();
    const start = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - start;
  };
  try {
    await run(1);
    for (let dispatches = 1; ; dispatches *= 2) {
      const ms = await run(dispatches);
      if (ms >= LONG_ENOUGH_MS || dispatches >= MOST_DISPATCHES) return Math.max(ms, 1e-3) / dispatches;
    }
  } finally {
    uniform.destroy();
  }
}
