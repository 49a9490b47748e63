/**
 * Every error of torch.distributed that was provoked on PyTorch 1.13 with gloo (fixtures/errors.json: the code, and
 * what each rank said) is provoked here, too, and said with the same type and the same key phrase on the same ranks.
 * Where we mean to differ, the table says what and why.
 */
import { expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { at, must } from '../base/invariant';
import { onStillClock } from '../base/testing/still-clock';
import { Cluster } from './cluster';
import { clusterAccess } from './cluster-access';
import { Dist } from './dist';
import fixtures from './fixtures/errors.json';
import { type RankFunction, spawn } from './launch/spawn';
import { ProcessExit } from './launch/supervise';
import { full, ones, zeros } from './tensor';

/** For the timeouts of 4 and 2 seconds of the fixtures. */
const TIMEOUT_S = 0.2;
const SHORT_S = 0.1;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Outcome {
  readonly type: string;
  readonly text: string;
}

interface Case {
  readonly run: RankFunction<unknown>;
  readonly nccl?: false;
  /** What we say instead, on each rank, and why. */
  readonly differs?: { readonly ranks: readonly Outcome[]; readonly because: string };
}

const fine = (text = ''): Outcome => ({ type: 'no error', text });
const both = (outcome: Outcome): readonly Outcome[] => [outcome, outcome];
/** After `init(rank, ws, port)`. */
const inited =
  (run: RankFunction<unknown>): RankFunction<unknown> =>
  async (dist, rank) => {
    await dist.initProcessGroup({ backend: 'gloo', timeoutS: TIMEOUT_S });
    return run(dist, rank);
  };
const bare = (environment: Record<string, string> = {}) =>
  new Dist(clusterAccess(new Cluster(), 'localhost'), environment);
const offered = (text: string) => ({
  ranks: both(fine(text)),
  because: 'later versions offer it with gloo, and so do we',
});

const CASES: Readonly<Record<string, Case>> = {
  'all_reduce before init': { run: (dist) => dist.allReduce(ones([1])) },
  'get_rank before init': { run: async (dist) => dist.getRank() },
  'get_world_size before init': { run: async (dist) => dist.getWorldSize() },
  'is_initialized before init': { run: async (dist) => (dist.isInitialized() ? 'True' : 'False') },
  'barrier before init': { run: (dist) => dist.barrier() },
  'destroy before init': { run: (dist) => dist.destroyProcessGroup() },
  'new_group before init': { run: (dist) => dist.newGroup([0]) },
  'init twice': { run: inited((dist) => dist.initProcessGroup({ backend: 'gloo' })) },
  'collective after destroy': {
    run: inited(async (dist) => {
      await dist.destroyProcessGroup();
      await dist.allReduce(ones([1]));
    }),
  },
  'destroy twice': {
    run: inited(async (dist) => {
      await dist.destroyProcessGroup();
      await dist.destroyProcessGroup();
    }),
  },
  'unknown backend': { run: (dist) => dist.initProcessGroup({ backend: 'foo', rank: 0, worldSize: 1 }) },
  'nccl without NCCL': {
    run: (dist) => dist.initProcessGroup({ backend: 'nccl', rank: 0, worldSize: 1 }),
    nccl: false,
  },
  'env:// without RANK': { run: () => bare().initProcessGroup({ backend: 'gloo' }) },
  'env:// without WORLD_SIZE': { run: () => bare({ RANK: '0' }).initProcessGroup({ backend: 'gloo' }) },
  'env:// without MASTER_ADDR': {
    run: () => bare({ RANK: '0', WORLD_SIZE: '1' }).initProcessGroup({ backend: 'gloo' }),
  },
  'rank >= world_size': {
    run: (dist) =>
      dist.initProcessGroup({ initMethod: 'file:///somewhere', rank: 2, worldSize: 2, timeoutS: TIMEOUT_S }),
  },
  'negative rank': { run: (dist) => dist.initProcessGroup({ rank: -2, worldSize: 2, timeoutS: TIMEOUT_S }) },
  'world_size 0': { run: (dist) => dist.initProcessGroup({ rank: 0, worldSize: 0, timeoutS: TIMEOUT_S }) },
  'fewer processes than world_size': {
    run: (dist, rank) => dist.initProcessGroup({ rank, worldSize: 3, timeoutS: TIMEOUT_S }),
  },
  'two processes with the same rank': {
    run: (dist) => dist.initProcessGroup({ rank: 0, worldSize: 2, timeoutS: TIMEOUT_S }),
  },
  'one rank exits before all_reduce': {
    run: inited(async (dist, rank) => {
      if (rank === 1) throw new ProcessExit(1);
      await pause(10);
      await dist.allReduce(ones([4]));
    }),
  },
  'one rank never calls the collective (timeout)': {
    run: inited(async (dist, rank) => {
      if (rank === 1) await pause(1200 * TIMEOUT_S);
      else await dist.allReduce(ones([4]));
    }),
  },
  'monitored_barrier names the missing rank': {
    run: inited(async (dist, rank) => {
      if (rank === 1) await pause(1200 * TIMEOUT_S);
      else await dist.monitoredBarrier({ timeoutS: SHORT_S });
    }),
  },
  'all_reduce shape mismatch (4 vs 6)': {
    run: inited((dist, rank) => dist.allReduce(ones([4 + 2 * rank]))),
    differs: {
      ranks: both({ type: 'RuntimeError', text: 'Detected mismatch between collectives on ranks.' }),
      because: 'fingerprints are always compared, as with TORCH_DISTRIBUTED_DEBUG=DETAIL; nobody has to die',
    },
  },
  'all_reduce shape mismatch, TORCH_DISTRIBUTED_DEBUG=DETAIL': {
    run: inited((dist, rank) => dist.allReduce(ones([4 + 2 * rank]))),
  },
  'different collectives on ranks, DETAIL': {
    run: inited((dist, rank) => (rank === 0 ? dist.allReduce(ones([4])) : dist.broadcast(ones([4]), 0))),
  },
  'all_reduce dtype mismatch': {
    run: inited((dist, rank) => dist.allReduce(ones([4], rank === 0 ? 'f32' : 'i32'))),
    differs: {
      ranks: both({ type: 'RuntimeError', text: 'TensorDtypes=Int' }),
      because: 'as for shapes; there is no float64 here',
    },
  },
  'broadcast src out of range': { run: inited((dist) => dist.broadcast(ones([2]), 7)) },
  'reduce dst out of range': { run: inited((dist) => dist.reduce(ones([2]), 7)) },
  'send dst out of range': { run: inited((dist) => dist.send(ones([2]), 7)) },
  'send to self': {
    run: inited((dist, rank) => dist.send(ones([2]), rank)),
    differs: {
      ranks: both({ type: 'ValueError', text: 'Invalid destination rank' }),
      because: 'PyTorch 2.x says so, 1.13 dies',
    },
  },
  'recv from self': {
    run: inited((dist, rank) => dist.recv(ones([2]), rank)),
    differs: {
      ranks: both({ type: 'ValueError', text: 'Invalid source rank' }),
      because: 'PyTorch 2.x says so, 1.13 dies',
    },
  },
  'gather without gather_list on dst': { run: inited((dist) => dist.gather(ones([2]), undefined, 0)) },
  'gather_list on a non-destination rank': { run: inited((dist) => dist.gather(ones([2]), [ones([2]), ones([2])], 0)) },
  'scatter without scatter_list on src': { run: inited((dist) => dist.scatter(ones([2]), undefined, 0)) },
  'scatter_list on a non-source rank': { run: inited((dist) => dist.scatter(ones([2]), [ones([2]), ones([2])], 0)) },
  'scatter_list of the wrong length': {
    run: inited((dist, rank) => dist.scatter(ones([2]), rank === 0 ? [ones([2]), ones([2]), ones([2])] : undefined, 0)),
  },
  'all_gather wrong number of outputs': { run: inited((dist) => dist.allGather([ones([2])], ones([2]))) },
  'all_gather output shape mismatch': { run: inited((dist) => dist.allGather([ones([2]), ones([3])], ones([2]))) },
  'all_reduce on a list': {
    // As a caller in plain JavaScript would.
    run: inited((dist) => Reflect.apply(dist.allReduce, dist, [[ones([2])]]) as Promise<void>),
  },
  'ReduceOp.AVG with gloo': {
    run: inited(async (dist, rank) => {
      const x = full([2], rank + 1);
      await dist.allReduce(x, { op: 'avg' });
      return x.data.join();
    }),
    differs: { ranks: both(fine('1.5,1.5')), because: 'current PyTorch averages with gloo (2.13 does, 2.7 did not)' },
  },
  'reduce_scatter with gloo': {
    run: inited(async (dist) => {
      const x = zeros([2]);
      await dist.reduceScatter(x, [ones([2]), ones([2])]);
      return x.data.join();
    }),
    differs: offered('2,2'),
  },
  'all_to_all with gloo': {
    run: inited(async (dist, rank) => {
      const x = [zeros([1]), zeros([1])];
      await dist.allToAll(x, [full([1], rank), full([1], rank)]);
      return x.map(({ data }) => data[0]).join();
    }),
    differs: offered('0,1'),
  },
  'all_gather_into_tensor with gloo': {
    run: inited(async (dist, rank) => {
      const x = zeros([4]);
      await dist.allGatherIntoTensor(x, full([2], rank));
      return x.data.join();
    }),
    differs: offered('0,0,1,1'),
  },
  'all_to_all_single not divisible': {
    run: inited((dist) => dist.allToAllSingle(ones([3]), ones([3]))),
    differs: {
      ranks: both({ type: 'RuntimeError', text: "Tensor's dim 0 does not divide equally across group size" }),
      because: '1.13 with gloo delivers garbage; these are the words of NCCL and of later versions',
    },
  },
  'new_group with a rank outside the world': { run: inited((dist) => dist.newGroup([0, 5])) },
  'new_group larger than the world': { run: inited((dist) => dist.newGroup([0, 1, 2])) },
  'collective on a group one is not in': {
    run: inited(async (dist, rank) => {
      const group = await dist.newGroup([0]);
      const x = full([1], 1 + rank);
      await dist.allReduce(x, { group });
      return [...x.data, ...dist.warnings].join(' ');
    }),
    differs: {
      ranks: [fine('1'), fine('2 Running all_reduce on global rank 1 which does not belong to the given group.')],
      because: 'the broken pipe was rank 0 leaving; what all_reduce does there is to warn and go',
    },
  },
};

/** Without places in gloo's source, addresses and ports, and with our times; of a fingerprint what we say, too. */
function keyPhrases(text: string): string[] {
  const plain = text
    .replace(/\[\.\/gloo\/transport\/[^\]]*\] /g, '')
    .replace(/ \[127\.0\.0\.1\]:<port>|<port>\)\.|\[::\]:<port>.*$/g, '')
    .replace(/4000ms/g, `${1000 * TIMEOUT_S}ms`)
    .replace(/2000( ?)ms/g, `${1000 * SHORT_S}$1ms`)
    .replace(/after 4s/, `after ${TIMEOUT_S}s`)
    .replace(/, TensorDeviceTypes=.*?\)\)\)/g, '|');
  return plain.split(/CollectiveFingerPrint\(|\||\n.*\n/).map((part) => part.trim().replace(/\.$/, ''));
}

test('no entry is left out', () => {
  expect(Object.keys(CASES)).toEqual(fixtures.entries.map(({ name }) => name));
});

test.each(fixtures.entries)('$name', async ({ name, world_size, ranks }) => {
  const { run, nccl, differs } = must(CASES[name], name);
  const results: unknown[] = [];
  const cluster = new Cluster(nccl === false ? { nccl } : {});
  const whole = await onStillClock(() =>
    spawn(
      async (dist, rank) => {
        results[rank] = await run(dist, rank);
      },
      world_size,
      { cluster },
    ),
  ).catch((error: unknown) => error);
  const errors = whole instanceof LockstepError ? (whole.details.errors as readonly (LockstepError | undefined)[]) : [];
  for (const [rank, expected] of (differs?.ranks ?? ranks).entries()) {
    const error = errors[rank];
    expect(error?.details.type ?? 'no error', `rank ${rank}: ${error?.message}`).toBe(expected.type);
    if (error) for (const phrase of keyPhrases(expected.text)) expect(error.message).toContain(phrase);
    else expect(String(results[rank] ?? '')).toBe(expected.text);
    // Whoever is wrong learns what to do.
    if (error && expected.type !== 'process died') expect(error.hint, error.message).not.toBe('');
  }
  expect(errors.filter((error) => error !== undefined)).toHaveLength(
    (differs?.ranks ?? ranks).filter((r) => r.type !== 'no error').length,
  );
  if (differs) expect(differs.because, String(at(ranks, 0).type)).not.toBe('');
});
