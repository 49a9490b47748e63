/**
 * The end of a turn's sentence if the collectives of its layers are in its moment: which ranks exchange what, and in
 * how many collectives. Pure; called by turn-sentence.ts.
 */

import { at } from '../../base/invariant';
import { plural } from '../../base/plural';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { groupSize } from '../group-size';
import { collectiveKey, isOfLayers } from '../moments/group-keys';
import { numberWord } from '../moments/who';
import { cutsLayers } from '../tensor-parts';
import { actionsIn } from './pipeline-turns';

/** Ends of the sentence, the longest first; a single empty one if the moment has no collectives. */
export function exchangeClauses(trace: StepTrace, events: readonly TraceEvent[]): readonly string[] {
  const own = events.filter(isOfLayers);
  if (own.length === 0) return [''];
  const stages = [...new Set(own.map(stageOf))].sort((a, b) => a - b);
  const nouns = [...new Set(own.map(nounOf))];
  const counts = nouns.map((noun) => stages.map((stage) => countOf(own, stage, noun)));
  const all = listed(counts.map((each, k) => counted(sum(each), at(nouns, k))));
  const { verb, verbs, what } = workOf(trace, own);
  const total = [`, with ${all} of ${what}${stages.length > 1 ? ' in all' : ''}`, `, with ${all}`];
  const each = counts.map((perStage, k) => perStageWords(perStage, at(nouns, k)));
  if (each.includes(undefined)) return total;
  const whose = stagesWords(trace, events, stages);
  return [
    `, and ${ranksWords(trace, own)} of ${whose.text} ${verb} their ${what} in ${listed(each.map(String))}`,
    `, and ${whose.text} ${whose.many ? verb : verbs} ${what} in ${listed(each.map(String))}`,
    ...total,
  ];
}

const stageOf = ({ action }: TraceEvent): number => action?.stage ?? 0;

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const counted = (count: number, noun: string): string => (count === 1 ? `one ${noun}` : plural(count, noun));

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** Groups along the same axes do the same, so their collectives count as one. */
const countOf = (own: readonly TraceEvent[], stage: number, noun: string): number =>
  new Set(own.filter((e) => stageOf(e) === stage && nounOf(e) === noun).map(collectiveKey)).size;

/** '3 or 4 all-reduces'; undefined if a stage has none. */
function perStageWords(counts: readonly number[], noun: string): string | undefined {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (least === 0) return undefined;
  if (least === most) return counted(most, noun);
  return `${least} ${most === least + 1 ? 'or' : 'to'} ${plural(most, noun)}`;
}

/** The stages of the collectives: 'stage 1', 'each stage', 'each busy stage' if others wait. */
function stagesWords(trace: StepTrace, events: readonly TraceEvent[], stages: readonly number[]) {
  if (stages.length === 1) return { text: `stage ${at(stages, 0)}`, many: false };
  if (stages.length < new Set(actionsIn(events).map(({ stage }) => stage)).size)
    return { text: `stages ${listed(stages.map(String))}`, many: true };
  const waits = stages.length < new Set(trace.events.flatMap(({ action }) => action?.stage ?? [])).size;
  return { text: waits ? 'each busy stage' : 'each stage', many: false };
}

/** 'the two ranks', 'groups of two ranks'. */
function ranksWords(trace: StepTrace, own: readonly TraceEvent[]): string {
  const sizes = new Set(own.map((e) => groupSize(trace, e)));
  if (sizes.size > 1) return 'the ranks';
  const [size = 0] = sizes;
  const first = stageOf(at(own, 0));
  const ranks = new Set(own.filter((e) => stageOf(e) === first).map(({ device }) => device));
  return `${ranks.size === size ? 'the' : 'groups of'} ${numberWord(size)} ranks`;
}

const nounOf = ({ collective }: TraceEvent): string =>
  collective?.op === 'allReduce' ? 'all-reduce' : collective?.op === 'allGather' ? 'all-gather' : 'reduce-scatter';

interface Work {
  readonly verb: string;
  /** The verb after a singular. */
  readonly verbs: string;
  readonly what: string;
}

/** What the collectives do with which tensors: they 'add up' products, or 'gather' parameters. */
function workOf(trace: StepTrace, own: readonly TraceEvent[]): Work {
  const every = (test: (e: TraceEvent) => boolean): boolean => own.every(test);
  const gather = { verb: 'gather', verbs: 'gathers' };
  const add = { verb: 'add up', verbs: 'adds up' };
  if (every(({ phase }) => phase === 'gather')) return { ...gather, what: 'parameters' };
  if (every(({ phase }) => phase === 'reduce')) return { ...add, what: 'gradients' };
  if (every((e) => nounOf(e) === 'all-gather')) return { ...gather, what: 'pieces' };
  const adds = every((e) => nounOf(e) !== 'all-gather' && e.collective?.reduceOp !== 'max' && e.module !== '');
  if (adds) return { ...add, what: cutsLayers(trace) ? 'products' : 'sums' };
  return { verb: 'exchange', verbs: 'exchanges', what: 'results' };
}
