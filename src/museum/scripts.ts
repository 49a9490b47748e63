/**
 * The exhibits that are not training runs: small scripts that every rank runs on a separate process group
 * (distributed/). Their actions and errors are recorded line by line. Called by the session for the page, and by tests.
 */
import { LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import type { Dist } from '../distributed/dist';
import { spawn } from '../distributed/launch/spawn';
import { full, tensor } from '../distributed/tensor';
import { writeSafetensors } from '../interop/safetensors';
import type { Rehearsal, RehearsalLine } from '../protocol/rehearsal';
import { tornWrite, writtenByRank0 } from '../training/checkpoint/torn-write';
import { EXHIBIT_IDS, type ExhibitId, MISTAKES } from './mistakes';
import { type RankScript, show } from './rank-script';
import { optimizerFirst, ownNorm, rank0Shard } from './sharded-scripts';
import { biasTwice, ownBatches, rank0Logs } from './tensor-scripts';

/** Long enough for a busy machine, short enough to watch. */
const TIMEOUT_S = 2;
const BLOCK_BYTES = 64;
/** The seed of the scheduler that alternates between the writing ranks. */
const SCHEDULE_SEED = 5;

/** Only rank 0 averages a metric before the gradients. */
const order: RankScript = async ({ dist, rank, cured, calls, has }) => {
  if (rank === 0 || cured) {
    const metric = tensor([rank + 1]);
    calls('dist.all_reduce(metric)  # 1 element');
    await dist.allReduce(metric, { site: 'train.py:8' });
    has(`metric = ${show(metric)}`);
  }
  const gradient = full([4], rank + 1);
  calls('dist.all_reduce(grad)  # 4 elements');
  await dist.allReduce(gradient, { site: 'train.py:9' });
  has(`grad = ${show(gradient)}`);
};

/** forward() of the wrapped model broadcasts the running statistics before anything else, in eval() too. */
const rank0Eval: RankScript = async ({ dist, rank, cured, calls, has }) => {
  if (rank === 0) {
    const runningMean = tensor([0.5, -0.25]);
    if (cured) calls('ddp.module(x_test)  # no collective');
    else {
      calls('ddp(x_test)  # forward: dist.broadcast(running_mean, 0)');
      await dist.broadcast(runningMean, 0, { site: 'distributed.py, forward()' });
    }
    has('the test loss');
  }
  calls('dist.barrier()');
  await dist.barrier({ site: 'train.py:14' });
  has('come through the barrier');
};

/** Each rank's state_dict has its own optimiser state, so the files differ. */
const everyRankSaves: RankScript = async ({ dist, rank, cured, calls, has, say }) => {
  const worldSize = dist.getWorldSize();
  const files = Array.from({ length: worldSize }, (_, r) =>
    writeSafetensors([{ name: 'exp_avg', shape: [64], data: new Float32Array(64).fill(r + 1) }]),
  );
  const written = (cured ? writtenByRank0 : tornWrite)(files, BLOCK_BYTES, SCHEDULE_SEED);
  // The ranks of this page take turns; the ranks of a cluster write at the same time, in an order such as this one.
  if (rank === 0) {
    for (const call of written.calls) {
      const text = call.call === 'open' ? 'open("model.safetensors", "w")' : `write(bytes ${call.from} to ${call.to})`;
      say(call.rank, 'calls', text);
    }
  }
  calls('dist.barrier()');
  await dist.barrier({ site: 'train.py:21' });
  if (rank !== 0) return;
  for (const { from, to, rank: writer } of written.stretches)
    has(`bytes ${from} to ${to} of the file are rank ${writer}'s`);
  has(written.torn ? 'a file that no rank has written: torn' : 'the file that rank 0 has written, whole');
};

const SCRIPTS: Readonly<Partial<Record<ExhibitId, RankScript>>> = {
  order,
  'rank0-eval': rank0Eval,
  'every-rank-saves': everyRankSaves,
  'own-batches': ownBatches,
  'rank0-logs': rank0Logs,
  'bias-twice': biasTwice,
  'optimizer-first': optimizerFirst,
  'own-norm': ownNorm,
  'rank0-shard': rank0Shard,
};

export async function rehearse(exhibit: string, cured: boolean): Promise<Rehearsal> {
  const id = must(
    EXHIBIT_IDS.find((known) => known === exhibit),
    `an exhibit ${exhibit}`,
  );
  const script = must(SCRIPTS[id], `a script of ${id}`);
  const mistake = MISTAKES[id];
  const worldSize = mistake.kind === 'script' ? mistake.worldSize : 1;
  const lines: RehearsalLine[] = [];
  const say = (rank: number, kind: RehearsalLine['kind'], text: string): void => {
    lines.push({ rank, kind, text });
  };
  const run = async (dist: Dist, rank: number) => {
    try {
      await script({
        dist,
        rank,
        cured,
        calls: (text) => say(rank, 'calls', text),
        has: (text) => say(rank, 'has', text),
        say,
      });
    } catch (error) {
      say(rank, 'raises', error instanceof LockstepError ? error.message : String(error));
      throw error;
    }
  };
  try {
    await spawn(run, worldSize, { backend: 'gloo', timeoutS: TIMEOUT_S });
  } catch (error) {
    // The lines contain the ranks' errors; any other error is a bug of ours.
    if (!(error instanceof LockstepError) || error.code !== 'rank-failed') throw error;
  }
  return { worldSize, lines };
}
