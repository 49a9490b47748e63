/**
 * Notices about DDP's settings that have no effect in combination, or that may surprise. Loaded for runs that set one
 * (rare-parts.ts).
 */
import type { Config } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import type { NoticeInput } from '../facets/mode-checks';
import { bucketsOf, rebuilds, unusedParameters } from './ready-order';

type Facts = Record<'unused' | 'buffers' | 'masks' | 'uneven' | 'oneBucket', boolean>;

export function settingNotices({ config, schedule, stage }: NoticeInput): readonly Notice[] {
  const facts: Facts = {
    unused: unusedParameters(stage).length > 0,
    buffers: stage.graph.values.some((v) => v.role === 'buffer' && v.name.includes('running')),
    masks: stage.masks.length > 0,
    uneven: new Set(schedule.totals).size > 1,
    oneBucket: bucketsOf(stage, config, rebuilds(config)).length === 1,
  };
  return [...effects(config, facts), ...withoutEffect(config, facts)];
}

function effects({ ddp, worldSize, accumulate }: Config, { unused }: Facts): readonly Notice[] {
  const notices: Notice[] = [];
  const say = (level: Notice['level'], id: string, text: string, hint: string) =>
    notices.push({ level, id, text, hint });
  if (worldSize > 1 && !ddp.initSync && ddp.rankSeeds === 'beforeModel')
    say(
      'warning',
      'no-init-sync',
      'Each rank starts with its own weights: the constructor broadcasts nothing, and averaging gradients does not make the weights equal.',
      'Leave ddp.initSync on, or give all ranks the same seed before the model is built.',
    );
  if (ddp.staticGraph && accumulate > 1 && (ddp.noSync === 'both' || ddp.noSync === 'forward'))
    say(
      'warning',
      'static-graph-no-sync',
      'PyTorch fails here with “expect_autograd_hooks_ INTERNAL ASSERT FAILED”: 2.x at the first pass, because it is under no_sync; 1.13 at the first pass under no_sync after a reduced pass. This run works as intended.',
      'Leave ddp.staticGraph off, or set ddp.noSync to "none".',
    );
  if (ddp.findUnusedParameters && !ddp.staticGraph && !unused)
    say(
      'warning',
      'no-unused-parameters',
      'find_unused_parameters=True was specified in DDP constructor, but did not find any unused parameters in the forward pass. This flag results in an extra traversal of the autograd graph every iteration, which can adversely affect performance.',
      'Leave ddp.findUnusedParameters off: the buckets are then rebuilt in ready order.',
    );
  return notices;
}

function withoutEffect({ ddp, accumulate, shuffle, worldSize }: Config, facts: Facts): readonly Notice[] {
  const { buffers, masks, uneven, oneBucket } = facts;
  const notices: Notice[] = [];
  const say = (id: string, text: string, hint = '') => notices.push({ level: 'info', id, text, hint });
  const ownRows = ddp.samplesPerRank !== undefined;
  if (ddp.algorithm !== 'ring' && worldSize === 1)
    say('no-effect-algorithm', 'ddp.algorithm has no effect: one rank has nobody to exchange gradients with.');
  if (!ddp.overlap && (oneBucket || worldSize === 1))
    say(
      'no-effect-overlap',
      `ddp.overlap has no effect: ${worldSize === 1 ? 'one rank sends nothing' : 'the only bucket is full when backward ends'}.`,
      worldSize === 1 ? 'Use more ranks.' : 'Set bucketCapMb so low that there are several buckets.',
    );
  if (ddp.noSync !== 'both' && accumulate === 1)
    say(
      'no-effect-no-sync',
      'ddp.noSync has no effect: without accumulation every pass is followed by a step.',
      'Set accumulate to 2 or more.',
    );
  if (!ddp.setEpoch && (!shuffle || ownRows))
    say(
      'no-effect-set-epoch',
      'ddp.setEpoch has no effect: no DistributedSampler shuffles.',
      'Set shuffle, and leave samplesPerRank out.',
    );
  if (!ddp.divideByInitialWorldSize && !(ddp.join && uneven))
    say(
      'no-effect-divisor',
      `ddp.divideByInitialWorldSize has no effect: ${ddp.join ? 'no rank runs out of batches before the others' : 'only join() divides by the ranks that are left'}.`,
      'Set join and samplesPerRank.',
    );
  if (ddp.join && !uneven)
    say(
      'join-even',
      'All ranks have equally many batches: join() only adds its small all-reduces to each step.',
      'Set samplesPerRank to see uneven inputs.',
    );
  if (!ddp.broadcastBuffers && !buffers)
    say('no-effect-buffers', 'ddp.broadcastBuffers has no effect: the model has no running statistics.');
  if (!ddp.initSync && ddp.rankSeeds !== 'beforeModel')
    say(
      'no-effect-init-sync',
      'ddp.initSync has no effect: all ranks have drawn the same weights.',
      'Set rankSeeds to beforeModel.',
    );
  if (ddp.rankSeeds === 'beforeModel' && ddp.initSync)
    say(
      'seeds-erased',
      'The ranks draw different weights, and the constructor overwrites them: all ranks begin with the weights of rank 0.',
    );
  if (ddp.rankSeeds !== 'same' && !masks && !(ownRows && shuffle) && (ddp.rankSeeds === 'afterModel' || ddp.initSync))
    say(
      'no-effect-seeds',
      'ddp.rankSeeds has no effect here: the DistributedSampler uses one seed for all ranks, and the model has no dropout.',
    );
  return notices;
}
