/**
 * WGSL's subgroups in the kernels of shaders/workgroup that add up rows, on devices that have them. A kernel is one
 * source: lane_sum() adds in workgroup memory, and here a function of the same name takes its place, which adds by
 * shuffles what neighbours in one subgroup hold. It makes the same additions in the same order, so all results have the
 * same bits. WGSL leaves open which invocations are in a subgroup, so each device first runs kernels in both forms.
 * Whether subgroups are faster is part of the tuning. Called by create-tuned-executor.ts and tuning/choose-tuning.ts.
 */
import { loadPart } from '../../base/load-part';
import type { KernelTuning } from '../../graph/kernel-tuning';
import { grid } from '../../graph/launch';
import type { DenseLaunch } from '../../graph/op';
import { replaceFunctions } from '../../graph/replace-functions';
import type { OpenedDevice } from './device';
import { COPY_DST, COPY_SRC, STORAGE } from './gpu-flags';
import { pipelinesOf } from './pipelines';
import { type Bench, timeOf, wordsAfter } from './tuning/run-launch-alone';

type Shaders = Readonly<Record<string, string>>;
type Compiler = Pick<OpenedDevice, 'device' | 'compiled'>;

export interface SubgroupKernels {
  readonly shaders: Shaders;
  /** Absent: the kernels use no subgroups. */
  readonly subgroups?: number;
}

/** The kernels for this device: by subgroups if the tuning finds them faster and the device gives the same bits. */
export async function subgroupKernels(
  opened: Compiler,
  shaders: Shaders,
  { subgroups }: Pick<KernelTuning, 'subgroups'>,
): Promise<SubgroupKernels> {
  const size = subgroups ? sizeOf(opened.device) : 0;
  if (size < 2) return { shaders };
  const replaced = await withShuffles(shaders, size);
  opened.compiled.exactSubgroups ??= hasSameBits(opened, shaders, replaced);
  return (await opened.compiled.exactSubgroups) ? { shaders: replaced, subgroups: size } : { shaders };
}

/** False, too, if the time is over before all kernels have run. */
export async function subgroupsAreFaster(
  opened: Compiler,
  shaders: Shaders,
  isOver: () => boolean = () => false,
): Promise<boolean> {
  const size = sizeOf(opened.device);
  if (size < 2) return false;
  const replaced = await withShuffles(shaders, size);
  return withBuffers(opened, async (bench) => {
    const [plain, shuffled] = [
      { ...bench, shaders },
      { ...bench, shaders: replaced },
    ];
    if (!(await compiles(plain, shuffled))) return false;
    let [before, after] = [0, 0];
    for (const launch of LAUNCHES) {
      if (isOver()) return false;
      before += await timeOf(launch, plain);
      after += await timeOf(launch, shuffled);
    }
    return after < before;
  });
}

/** The least size of a subgroup; 0 without subgroups. */
function sizeOf({ features, adapterInfo }: GPUDevice): number {
  return features.has('subgroups') ? (adapterInfo.subgroupMinSize ?? 0) : 0;
}

/** The kernels with the functions of SUBGROUP_FUNCTIONS, for subgroups of at least `size`. */
export async function withShuffles(shaders: Shaders, size: number): Promise<Shaders> {
  const { SUBGROUP_FUNCTIONS } = await loadPart(
    'The kernels with subgroups',
    () => import('../../graph/subgroup-shaders'),
  );
  const head = `enable subgroups; const SUBGROUP = ${size}u;`;
  const functions = Object.values(SUBGROUP_FUNCTIONS);
  return Object.fromEntries(Object.entries(shaders).map(([id, text]) => [id, replaceFunctions(text, functions, head)]));
}

const [ROWS, COLUMNS] = [1024, 128];
/** Operands: numbers that are read, and three results. */
const [X, Y, SECOND, THIRD] = [0, 1, 2, 3];

/** Rows of 32 lanes, and one row of 256 lanes. */
const LAUNCHES: readonly DenseLaunch[] = [
  {
    kind: 'dense',
    kernel: 'workgroup/layer-norm',
    constants: { KEPT: 1 },
    bindings: [X, X, X, Y, SECOND, THIRD],
    params: [ROWS, COLUMNS, { f32: 1e-5 }],
    workgroups: grid(ROWS, 8),
  },
  {
    kind: 'dense',
    kernel: 'workgroup/mean',
    bindings: [X, SECOND, THIRD],
    params: [(ROWS * COLUMNS) / 2, 0],
    workgroups: [1, 1],
  },
];

/** A driver whose compiler refuses the kernels keeps workgroup memory, too. */
const hasSameBits = (opened: Compiler, shaders: Shaders, replaced: Shaders): Promise<boolean> =>
  withBuffers(opened, async (bench) => {
    const [plain, shuffled] = [
      { ...bench, shaders },
      { ...bench, shaders: replaced },
    ];
    if (!(await compiles(plain, shuffled))) return false;
    for (const launch of LAUNCHES) {
      const expected = await wordsAfter(launch, plain, [Y, SECOND, THIRD]);
      const words = await wordsAfter(launch, shuffled, [Y, SECOND, THIRD]);
      if (expected.some((word, i) => word !== words[i])) return false;
    }
    return true;
  });

/** A kernel that does not compile is an answer, not an error of the run. */
async function compiles({ device, pipelines, shaders }: Bench, shuffled: Bench): Promise<boolean> {
  device.pushErrorScope('validation');
  const compiling = [shaders, shuffled.shaders].flatMap((texts) =>
    LAUNCHES.map(({ kernel, constants = {} }) => pipelines.compile({ kernel, constants }, texts)),
  );
  const [compiled] = await Promise.all([
    Promise.all(compiling).then(
      () => true,
      () => false,
    ),
    device.popErrorScope(),
  ]);
  return compiled;
}

async function withBuffers<T>(
  { device, compiled }: Compiler,
  use: (bench: Omit<Bench, 'shaders'>) => Promise<T>,
): Promise<T> {
  const usage = STORAGE | COPY_DST | COPY_SRC;
  const buffers = [ROWS * COLUMNS, ROWS * COLUMNS, ROWS, ROWS].map((words) =>
    device.createBuffer({ label: 'check of subgroups', size: 4 * words, usage }),
  );
  try {
    const [x] = buffers;
    if (x) device.queue.writeBuffer(x, 0, numbers());
    return await use({ device, pipelines: pipelinesOf({ device, compiled }), buffers });
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

/** Of many sizes and both signs, so that another order of additions gives other bits. */
const numbers = () =>
  Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) / 2 ** 31) * 2 ** (i % 7));
