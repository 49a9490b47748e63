/**
 * Explains when ranks that keep shards gather, free and scatter. undefined: the moment's sentence is enough. Called by
 * moment-why.ts.
 */

import { lookup } from '../../base/lookup';
import type { Clock, StepTrace, TraceEvent } from '../../protocol/trace';
import { gathersUnits } from '../tensor-parts';
import { moduleWords } from '../words';
import type { Moment } from './moment';
import { firstBeside } from './overlap';
import { ofZeroOne } from './sharded-sentence';

export function shardedWhy(
  trace: StepTrace,
  e: TraceEvent,
  { moment, clock }: { readonly moment: Moment; readonly clock: Clock },
): string | undefined {
  if (ofZeroOne(trace) && e.phase === 'broadcast' && e.anchor === 'step')
    return 'Only this rank has updated the parameter: the others keep no optimiser states for it, and still have the old values.';
  if (ofZeroOne(trace) && e.phase === 'step' && e.name.startsWith('optim/') && !/norm|clip/.test(e.name))
    return 'All ranks have the same gradients. Each rank keeps the states of the optimiser only for its share of the parameters, so it can update no others.';
  if (!gathersUnits(trace)) return undefined;
  if (e.collective && e.phase === 'gather')
    return e.anchor === 'forward'
      ? `Each rank keeps only its shards, but computes with whole parameters, on its own rows. ${computingBeside(trace, moment, clock)}`
      : `After its forward pass the unit was freed, and the backward pass needs its parameters once more. ${computingBeside(trace, moment, clock)}`;
  if (e.collective?.op === 'reduceScatter' && e.phase === 'reduce')
    return `Only the rank that keeps a shard steps it, so only this rank needs the sum of its gradient: half of an all-reduce is enough. ${computingBeside(trace, moment, clock)}`;
  return lookup(WHY, e.name);
}

/** Which layer computes while the messages of a unit are on their way. */
function computingBeside(trace: StepTrace, moment: Moment, clock: Clock): string {
  const beside = firstBeside(trace, moment, clock, isOfLayer);
  if (!beside) return 'No layer computes meanwhile: the messages make the step longer.';
  const what = beside.phase === 'backward' ? 'computes its gradient' : 'computes';
  return `Meanwhile ${moduleWords(beside.module)} ${what}.`;
}

const isOfLayer = ({ kind, phase, module }: Moment): boolean =>
  kind === 'compute' && (phase === 'forward' || phase === 'backward') && module !== '';

const WHY: Readonly<Record<string, string>> = {
  'fsdp/split-with-sizes-copy':
    'The whole parameters live until the unit has computed; then their memory is free for the next unit.',
  'fsdp/chunk-cat': 'The whole gradient is not needed after this, and its memory is free again.',
};
