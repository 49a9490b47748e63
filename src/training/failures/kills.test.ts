/**
 * Ranks are killed at every instruction of a step, in both placements: all start again from the last checkpoint and the
 * run ends as if nothing had happened, bit for bit. Who is to blame is in the report; when restarts are used up, the
 * error does.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../blueprint';
import { PLACEMENTS } from '../testing/placements';
import type { PlannedFault } from './fault-plan';

const WORLD = 3;

const ddp: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: WORLD,
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 4 },
      { type: 'BatchNorm1d', features: 4 },
      { type: 'Tanh' },
      { type: 'Dropout', p: 0.25 },
      { type: 'Linear', in: 4, out: 1 },
    ],
  },
  optimizer: { type: 'Adam', lr: 0.02 },
  data: { type: 'xor', samples: 40 },
  batchSize: 9,
  compareSingle: false,
  maxRestarts: 100,
  seed: 3,
};

/** Several micro-batches under way at once, backwards in two halves. */
const pipeline: ConfigInput = {
  ...ddp,
  mode: 'pipeline',
  dropLast: true,
  mesh: { pp: WORLD },
  model: {
    layers: [2, 4, 4, 4, 4, 4].flatMap((width, i) => [
      { type: 'Linear' as const, in: width, out: i === 5 ? 1 : 4 },
      { type: 'Tanh' as const },
    ]),
  },
  pipeline: { schedule: 'InterleavedZeroBubble', microBatches: 3 },
};

/** Layers in parts, so that every forward and backward pass waits for the other ranks. */
const tensor: ConfigInput = {
  ...ddp,
  mode: 'tensor',
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 6 },
      { type: 'Tanh' },
      { type: 'Dropout', p: 0.25 },
      { type: 'Linear', in: 6, out: 4 },
      { type: 'Tanh' },
      { type: 'Linear', in: 4, out: 1 },
    ],
  },
};

/** Parameters in shards, so that every unit waits for the other ranks in both passes. */
const sharded: ConfigInput = { ...ddp, mode: 'sharded', sharded: { reshardAfterForward: true } };

const RUNS = [
  ['DDP', ddp],
  ['a zero-bubble pipeline', pipeline],
  ['a tensor group', tensor],
  ['a shard group', sharded],
] as const;

/** One kill per step, each at another instruction of the rank's own lane, until every instruction had its kill. */
function killsOf(config: ConfigInput, rank: number): readonly PlannedFault[] {
  const { programs } = createBlueprint(parseConfig(config), {});
  const { instructions } = at(at(programs, 0).lanes, rank);
  return instructions.map(({ id }, step) => ({ what: 'kill', rank, step, instruction: id }));
}

describe.each(PLACEMENTS)('$title', ({ placement }) => {
  const everyRank = RUNS.flatMap(([title, plain]) =>
    Array.from({ length: WORLD }, (_, rank) => {
      const faults = killsOf(plain, rank);
      return { title, config: { ...plain, steps: faults.length + 5 }, faults, rank };
    }),
  );

  for (const { title, config, faults, rank } of everyRank)
    test(
      `${title}: rank ${rank}, at each of ${faults.length} instructions`,
      place(rank === 1 ? {} : { rest: 'rank 1 is killed in the same way' }),
      async () => {
        const disturbed = await runConfig({ ...config, placement }, {}, { faults });
        const undisturbed = await runConfig({ ...config, placement }, {});
        expect(disturbed.report.error).toBeUndefined();
        expect(disturbed.report.losses).toEqual(undisturbed.report.losses);
        expect(disturbed.weights()).toEqual(undisturbed.weights());
        const notices = disturbed.report.notices.filter(({ id }) => id === 'rank-failed').map(({ text }) => text);
        expect(notices).toHaveLength(faults.length);
        notices.forEach((text, step) => {
          expect(text).toMatch(
            new RegExp(`^Rank ${rank} \\(cuda:${rank}\\) was killed at step ${step}: .*rank ${rank} was at `),
          );
          expect(text).toContain(`(restart ${step + 1} of 100)`);
        });
      },
    );
});
