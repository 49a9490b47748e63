/**
 * The sentence, and the why, of a moment in which the replicas of a pipeline's stage average its gradients: the bucket
 * and all rounds of its all-reduce. moments/round-sentence.ts handles rounds with their own moments. Pure; called by
 * moments/moment-sentence.ts and moment-why.ts.
 */

import { at } from '../../base/invariant';
import { plural } from '../../base/plural';
import type { StepTrace } from '../../protocol/trace';
import type { Moment } from '../moments/moment';
import { numberWord } from '../moments/who';
import type { StageAverage } from './stage-averages';

export function averageSentence(trace: StepTrace, { events }: Moment, { stage, rounds }: StageAverage): string {
  const replicas = new Set(events.map((index) => at(trace.events, index).device)).size;
  const who = replicas === 2 ? 'both replicas' : `the ${numberWord(replicas)} replicas`;
  return `all-reduce: ${who} of stage ${stage} average its gradients, in ${plural(rounds, 'round')}`;
}

export const averageWhy = ({ stage }: StageAverage): string =>
  `DDP wraps each stage by itself. As soon as stage ${stage} has run its last backward, its replicas average its gradients; they do not wait for other stages.`;
