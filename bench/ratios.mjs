/**
 * The ratios that have a bar: the ratio to the fastest other WebGPU library on the same adapter, and similar ones, each
 * with its bar. A ratio below its bar never fails the benchmark.
 */

/**
 * @typedef {import('./result.d.ts').Result} Result
 * @typedef {{title: string, by: string, value: number, unit: 'x' | 'steps/s', bar: number}} Ratio
 * @typedef {{contender: import('./result.d.ts').ContenderInfo, median: number}} Measured
 */

/** Beginnings of workload ids, and the bar for the ratio to the fastest other WebGPU library. */
const PEER_BARS = /** @type {const} */ ([
  ['matmul-1024', 1.8],
  ['mlp-784', 2],
  ['small', 12],
  ['cnn', 2],
  ['gpt', 2],
]);
const DDP_BAR = 0.7;
const TENSOR_BAR = 0.5;
const SHARDED_BAR = 0.5;
/** Beginnings of workload ids, and the bar for two threads of the CPU device compared with one. */
const THREADS_BARS = /** @type {const} */ ([
  ['mlp-784', 1.6],
  ['gpt', 1.6],
]);
const CPU_MLP_BAR = 3;
const CPU_SMALL_BAR = 20_000;
/** Beginnings of workload ids, and the bar for the CPU device compared with PyTorch on one thread. */
const PYTORCH_BARS = /** @type {const} */ ([
  ['matmul-1024', 0.5],
  ['mlp-784', 0.6],
  ['cnn', 0.5],
  ['gpt', 0.5],
]);

/** @param {Result} result @returns {Ratio[]} those whose two sides were measured */
export function ratios(result) {
  return [
    ...peerRatios(result),
    ...ddpRatios(result),
    ...tensorRatios(result),
    ...shardedRatios(result),
    ...cpuRatios(result),
    ...pytorchRatios(result),
    ...threadsRatios(result),
  ];
}

/** @param {Result} result */
const peerRatios = (result) =>
  PEER_BARS.flatMap(([beginning, bar]) =>
    result.workloads
      .filter(({ id }) => id.startsWith(beginning))
      .flatMap((work) => {
        const all = measured(result, work.id).filter(({ contender }) => contender.backend === 'webgpu');
        const own = best(all.filter(({ contender }) => ['lockstep-single', 'lockstep-fused'].includes(contender.id)));
        const peer = best(all.filter(({ contender }) => contender.library !== 'lockstep'));
        return ratio(work.title, own, peer, bar);
      }),
  );

/** @param {Result} result */
const ddpRatios = (result) =>
  small(result).flatMap(({ id, title }) => {
    const all = measured(result, id);
    return ratio(title, of(all, 'lockstep-ddp'), of(all, 'lockstep-single'), DDP_BAR);
  });

/** @param {Result} result */
const tensorRatios = (result) =>
  result.workloads.flatMap(({ id, title }) => {
    const all = measured(result, id);
    return ratio(title, of(all, 'lockstep-tensor'), of(all, 'lockstep-single'), TENSOR_BAR);
  });

/** @param {Result} result */
const shardedRatios = (result) =>
  result.workloads.flatMap(({ id, title }) => {
    const all = measured(result, id);
    return ratio(title, of(all, 'lockstep-sharded'), of(all, 'lockstep-ddp'), SHARDED_BAR);
  });

/** @param {Result} result @returns {Ratio[]} */
function cpuRatios(result) {
  const mlps = result.workloads.filter(({ id }) => id.startsWith('mlp-784'));
  return [
    ...mlps.flatMap(({ id, title }) => {
      const all = measured(result, id);
      return ratio(title, of(all, 'lockstep-cpu'), of(all, 'tensorflow-cpu'), CPU_MLP_BAR);
    }),
    ...small(result).flatMap(({ id, title }) => {
      const own = of(measured(result, id), 'lockstep-cpu');
      if (!own) return [];
      return [
        {
          title,
          by: own.contender.title,
          value: own.median,
          unit: /** @type {const} */ ('steps/s'),
          bar: CPU_SMALL_BAR,
        },
      ];
    }),
  ];
}

/** @param {Result} result */
const pytorchRatios = (result) =>
  PYTORCH_BARS.flatMap(([beginning, bar]) =>
    result.workloads
      .filter(({ id }) => id.startsWith(beginning))
      .flatMap(({ id, title }) => {
        const all = measured(result, id);
        return ['lockstep-cpu', 'lockstep-cpu-fma'].flatMap((own) =>
          ratio(title, of(all, own), of(all, 'pytorch-cpu'), bar),
        );
      }),
  );

/** @param {Result} result */
const threadsRatios = (result) =>
  THREADS_BARS.flatMap(([beginning, bar]) =>
    result.workloads
      .filter(({ id }) => id.startsWith(beginning))
      .flatMap(({ id, title }) => {
        const all = measured(result, id);
        return ratio(title, of(all, 'lockstep-cpu-threads'), of(all, 'lockstep-cpu'), bar);
      }),
  );

/**
 * @param {string} title @param {Measured | undefined} own @param {Measured | undefined} other @param {number} bar
 * @returns {Ratio[]}
 */
function ratio(title, own, other, bar) {
  if (!own || !other) return [];
  const by = `${own.contender.title} to ${other.contender.title}`;
  return [{ title, by, value: own.median / other.median, unit: 'x', bar }];
}

/** @param {Result} result */
const small = (result) => result.workloads.filter(({ id }) => id.startsWith('small'));

/** @param {Result} result @param {string} workload @returns {Measured[]} */
const measured = ({ contenders, figures }, workload) =>
  figures.flatMap((figure) => {
    const contender = contenders.find(({ id }) => id === figure.contender);
    return figure.workload === workload && figure.summary && contender
      ? [{ contender, median: figure.summary.median }]
      : [];
  });

/** @param {readonly Measured[]} all @param {string} id */
const of = (all, id) => all.find(({ contender }) => contender.id === id);

/** @param {readonly Measured[]} all @returns {Measured | undefined} */
const best = (all) => [...all].sort((a, b) => b.median - a.median)[0];
