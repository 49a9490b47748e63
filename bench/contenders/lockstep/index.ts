/** Lockstep itself, through the session room, as the page uses it. */
import { benchSession } from '../../../src/bench/bench';
import { benchProduct } from '../../../src/bench/bench-kernels';
import { factors, probes } from '../../workloads/products';
import type { ProductWork, TrainingWork } from '../../workloads/workload';
import { type Contender, firstLosses, type Runner } from '../contender';

interface Setting {
  readonly device: 'webgpu' | 'cpu';
  readonly fuse: boolean;
  readonly fusedMultiplyAdd?: boolean;
  readonly threads?: number;
  readonly ranks: number;
  /** The mode for several ranks; without it 'ddp'. */
  readonly mode?: 'ddp' | 'sharded' | 'tensor';
}

async function trainer(
  work: TrainingWork,
  { device, fuse, fusedMultiplyAdd = false, threads = 1, ranks, mode = 'ddp' }: Setting,
  gpu?: GPU,
): Promise<Runner> {
  const config = {
    ...work.config,
    device,
    fuse,
    fusedMultiplyAdd,
    threads,
    mode: ranks > 1 ? mode : 'single',
    worldSize: ranks,
    placement: 'shared',
  };
  const session = await benchSession(config, work.files, gpu);
  return {
    check: () => firstLosses(session.step, work.checkedSteps),
    run: async (count) => void (await session.step(count)),
    dispose: session.dispose,
  };
}

async function product(
  { size }: ProductWork,
  device: 'webgpu' | 'cpu',
  gpu?: GPU,
  fusedMultiplyAdd = false,
): Promise<Runner> {
  const { a, b } = factors(size);
  const { run, read, dispose } = await benchProduct({ size, a, b, device, fusedMultiplyAdd }, gpu);
  return {
    run,
    dispose,
    async check() {
      await run(1);
      const c = await read();
      return probes(size, (row, column) => c[row * size + column] ?? Number.NaN);
    },
  };
}

/** Only under Node: in a page, the thread that waits for other threads may not be the page's own. */
const twoThreads = (gpu: GPU): Contender => ({
  id: 'lockstep-cpu-threads',
  title: 'Lockstep CPU, 2 threads',
  library: 'lockstep',
  backend: 'cpu',
  mode: 'cpu-threads',
  training: (work) => trainer(work, { device: 'cpu', fuse: false, ranks: 1, threads: 2 }, gpu),
});

/** `gpu`: Dawn's under Node; in a page the browser's. */
export function lockstepContenders(gpu?: GPU): readonly Contender[] {
  const common = { library: 'lockstep', backend: 'webgpu' } as const;
  const eager = { device: 'webgpu', fuse: false, ranks: 1 } as const;
  return [
    {
      ...common,
      id: 'lockstep-single',
      title: 'Lockstep Single',
      product: (work) => product(work, 'webgpu', gpu),
      training: (work) => trainer(work, eager, gpu),
    },
    {
      ...common,
      id: 'lockstep-fused',
      title: 'Lockstep Single, fused',
      training: (work) => trainer(work, { ...eager, fuse: true }, gpu),
    },
    {
      ...common,
      id: 'lockstep-ddp',
      title: 'Lockstep DDP, 4 ranks',
      mode: 'ddp',
      training: (work) => trainer(work, { ...eager, ranks: 4 }, gpu),
    },
    {
      ...common,
      id: 'lockstep-tensor',
      title: 'Lockstep Tensor, 4 ranks',
      mode: 'tensor',
      training: (work) => trainer(work, { ...eager, ranks: 4, mode: 'tensor' }, gpu),
    },
    {
      ...common,
      id: 'lockstep-sharded',
      title: 'Lockstep Sharded, 4 ranks',
      mode: 'sharded',
      training: (work) => trainer(work, { ...eager, ranks: 4, mode: 'sharded' }, gpu),
    },
    {
      ...common,
      id: 'lockstep-cpu',
      title: 'Lockstep CPU',
      backend: 'cpu',
      product: (work) => product(work, 'cpu', gpu),
      training: (work) => trainer(work, { ...eager, device: 'cpu' }, gpu),
    },
    {
      ...common,
      id: 'lockstep-cpu-fma',
      title: 'Lockstep CPU, fused multiply-add',
      backend: 'cpu',
      mode: 'cpu-fma',
      product: (work) => product(work, 'cpu', gpu, true),
      training: (work) => trainer(work, { ...eager, device: 'cpu', fusedMultiplyAdd: true }, gpu),
    },
    ...(gpu ? [twoThreads(gpu)] : []),
  ];
}
