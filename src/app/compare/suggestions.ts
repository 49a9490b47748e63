/** Suggestions for run B: the same run with one setting changed. The first suggestion is the default. Pure. */
import { FACES } from '../../parallel/faces';
import { ALGORITHM_NAMES } from '../../protocol/collective';
import { type Config, HARDWARE, LIMITS } from '../../protocol/config';
import { halfOf } from '../../protocol/half-of';
import { meshSizes } from '../../protocol/mesh-sizes';
import { ALGORITHMS } from '../../protocol/words/algorithms';
import { withMode, withOptimizer, withSetting, withWorldSize } from '../edit/edit-config';
import { same } from '../model/families';

export interface Suggestion {
  /** The words after "The same run": 'on one device'. */
  readonly words: string;
  readonly config: Config;
}

const CAPS = [1, 25] as const;

const MACHINES: Readonly<Record<Config['hardware'], string>> = {
  nvlink8: 'on 8 GPUs with NVLink',
  pcie4: 'on 4 GPUs with PCIe',
  ethernet10g: 'over 10 Gbit Ethernet',
  transputer: 'on transputers',
};

/** Other modes: one device first, or, if the run has one device, one process per device. */
function otherModes(run: Config): readonly Suggestion[] {
  const faces = Object.values(FACES).filter(({ name }) => name !== run.mode);
  const one = FACES[run.mode].oneDevice;
  const first = faces.find((face) => (one ? face.processPerDevice : face.oneDevice));
  return faces
    .toSorted((a, b) => Number(b === first) - Number(a === first))
    .map(({ name, title, oneDevice }) => ({
      words: oneDevice ? 'on one device' : `with ${title}`,
      config: withMode(run, name),
    }));
}

/** Suggestions for runs with gradient buckets only. */
function otherBuckets(run: Config): readonly Suggestion[] {
  if (!FACES[run.mode].buckets) return [];
  const { ddp } = run;
  const algorithms = ALGORITHM_NAMES.filter((name) => name !== ddp.algorithm).map((algorithm) => ({
    words: `with all-reduce by ${ALGORITHMS[algorithm].name}`,
    config: { ...run, ddp: { ...ddp, algorithm } },
  }));
  const caps = CAPS.filter((cap) => cap !== ddp.bucketCapMb).map((bucketCapMb) => ({
    words: `with a bucket cap of ${bucketCapMb} MiB`,
    config: { ...run, ddp: { ...ddp, bucketCapMb } },
  }));
  const overlap = {
    words: ddp.overlap ? 'without overlap' : 'with overlap',
    config: { ...run, ddp: { ...ddp, overlap: !ddp.overlap } },
  };
  return [...algorithms.slice(0, 1), ...caps.toReversed(), overlap, ...algorithms.slice(1)];
}

/** Tensor groups within a node, or across nodes with their slower links. */
function otherBorders(run: Config): readonly Suggestion[] {
  const { tp } = meshSizes(run);
  const { worldSize } = run;
  const crosses = worldSize / run.nodes < tp;
  // Nodes have equally many devices, so a group is halved between two of them only if it can be halved.
  if (tp === 1 || (!crosses && tp % 2 === 1)) return [];
  const nodes = crosses ? worldSize / tp : (2 * worldSize) / tp;
  const words = crosses ? 'with each tensor group inside a node' : 'with each tensor group across two nodes';
  return [{ words, config: { ...run, nodes } }];
}

function otherSizes(run: Config): readonly Suggestion[] {
  if (FACES[run.mode].oneDevice) return [];
  return [run.worldSize / 2, run.worldSize * 2]
    .filter((size) => Number.isInteger(size) && size >= 1 && size <= LIMITS.worldSize)
    .flatMap((size) => {
      const edit = withWorldSize(run, size);
      return edit.ok ? [{ words: `on ${size} ${size === 1 ? 'device' : 'devices'}`, config: edit.config }] : [];
    });
}

/** The run in float32 instead of half precision, and with or without a GradScaler. */
function otherPrecisions(run: Config): readonly Suggestion[] {
  const { gradScaler, sharded } = run;
  if (halfOf(run) === undefined) return [];
  const scaler = { ...run, gradScaler: { ...gradScaler, enabled: !gradScaler.enabled } };
  return [
    {
      words: 'in float32',
      config: {
        ...run,
        precision: 'float32',
        sharded: { ...sharded, paramDtype: 'float32', reduceDtype: 'param' },
        gradScaler: { ...gradScaler, enabled: false },
      },
    },
    ...(FACES[run.mode].gradScaler
      ? [{ words: gradScaler.enabled ? 'without a GradScaler' : 'with a GradScaler', config: scaler }]
      : []),
  ];
}

export function suggestionsFor(run: Config): readonly Suggestion[] {
  const optimizer = run.optimizer.type === 'SGD' ? 'Adam' : 'SGD';
  const slower = withSetting(run, ['optimizer', 'lr'], run.optimizer.lr / 10);
  const all: readonly Suggestion[] = [
    ...otherPrecisions(run),
    ...otherModes(run).slice(0, 1),
    ...otherBorders(run),
    ...otherBuckets(run),
    ...otherModes(run).slice(1),
    ...otherSizes(run),
    { words: `with ${optimizer}`, config: withOptimizer(run, optimizer) },
    ...(slower.ok ? [{ words: 'with a tenth of the learning rate', config: slower.config }] : []),
    ...HARDWARE.filter((hardware) => hardware !== run.hardware).map((hardware) => ({
      words: MACHINES[hardware],
      config: { ...run, hardware },
    })),
  ];
  return all.filter(({ config }) => !same(config, run));
}
