/**
 * Times every kernel that multiplies matrices on an adapter, at one size and in the layout that suits the kernel, for
 * KernelTuning. Takes a few milliseconds per kernel after compiling; called once per unknown hardware adapter
 * (choose-tuning.ts). It does not check results; tests compare the kernels' bits. If the time is over before all
 * kernels have run, the result is empty.
 */
import { type KernelTuning, PRODUCT_KERNELS, type ProductKernel } from '../../../graph/kernel-tuning';
import { grid } from '../../../graph/launch';
import type { DenseLaunch } from '../../../graph/op';
import { productLaunch, type StridedProduct, TILE_KERNELS } from '../../../graph/tiled-product';
import { sharedProduct, slicedProduct, splitProduct } from '../../../graph/workgroup-products';
import { STORAGE } from '../gpu-flags';
import type { PipelineCache } from '../pipelines';
import { timeOf } from './run-launch-alone';

/** m, n and k. */
const SIZE = 512;

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
  isOver: () => boolean,
): Promise<Partial<Pick<KernelTuning, 'matmul' | 'largeTiles'>>> {
  const buffers = ['a', 'b', 'c'].map((name) =>
    device.createBuffer({ label: `tuning ${name}`, size: SIZE * SIZE * 4, usage: STORAGE }),
  );
  const time = (launch: DenseLaunch) => timeOf(launch, { device, pipelines, shaders, buffers });
  const times: [ProductKernel, number][] = [];
  let largeTiles = false;
  try {
    for (const kernel of PRODUCT_KERNELS) {
      if (isOver()) return {};
      times.push([kernel, await time(launchOf(kernel))]);
    }
    largeTiles = !isOver() && (await time(slicedProduct(SMALL))) <= (await time(splitProduct(SMALL)));
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
  const fastest = Math.min(...times.map(([, ms]) => ms));
  const relative = times.map(([kernel, ms]) => [kernel, ms / fastest]);
  return { matmul: Object.fromEntries(relative) as KernelTuning['matmul'], largeTiles };
}
