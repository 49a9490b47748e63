/**
 * One plain sentence for the stages' work in a turn, or their messages after it: stage by stage if there is room,
 * otherwise grouped by kind of work, otherwise only counts. Without a full stop. Pure; called by
 * moments/moment-sentence.ts.
 */
import { at } from '../../base/invariant';
import type { Computation, PipelineAction } from '../../protocol/pipeline';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import type { Moment } from '../moments/moment';
import { numberWord } from '../moments/who';
import { actionsIn } from './pipeline-turns';
import { exchangeClauses } from './turn-exchanges';

/** Two lines of a phone. */
const ROOM = 130;
const LINE = 100;

/** Words for the work on one micro-batch, and on several. */
const WORK: Readonly<Record<Computation, readonly [one: string, many: string]>> = {
  F: ['the forward pass', 'the forward passes'],
  B: ['the backward pass', 'the backward passes'],
  I: ['the input gradient', 'the input gradients'],
  W: ['the weight gradients', 'the weight gradients'],
};

/** A pass is run, a gradient is computed. */
const verbOf = (actions: readonly PipelineAction[], many: boolean): string =>
  `${actions.some(({ kind }) => kind === 'I' || kind === 'W') ? 'compute' : 'run'}${many ? '' : 's'}`;

/** 'stage 2 waits'; a rank with several stages goes by its own name. */
interface Idle {
  readonly noun: 'stage' | 'rank';
  readonly number: number;
  /** Whether it has no action after this turn. */
  readonly done: boolean;
}

export function turnSentence(trace: StepTrace, moment: Moment): string {
  const events = moment.events.map((index) => at(trace.events, index));
  const actions = actionsIn(events);
  const clauses = exchangeClauses(trace, events);
  if ((moment.turn?.turns ?? 1) > 1) return roomiest([windowSentence(actions)], windowInNumbers(actions), clauses);
  const idle = idleIn(trace, moment, events);
  const byStage = stageByStage(actions, idle);
  const said = [
    // One line of the stage at most sizes.
    ...(byStage.length <= LINE ? [byStage] : []),
    // Every number has its noun, as long as there is room.
    kindByKind(actions, idle, 'every'),
    kindByKind(actions, idle, 'first'),
    kindByKind(actions, idle, 'first').replaceAll(/the (?=\w+ (passes|gradients) )/g, ''),
  ];
  return roomiest(said, inNumbers(actions, idle), clauses);
}

/**
 * The first sentence that has room for a clause, with the longest such clause; if none has room, the sentence in
 * numbers. The longest sentences and clauses come first.
 */
function roomiest(said: readonly string[], numbers: string, clauses: readonly string[]): string {
  const full = clauses.flatMap((clause) => said.map((each) => `${each}${clause}`));
  const short = clauses.map((clause) => `${numbers}${clause}`);
  return [...full, ...short].find(({ length }) => length <= ROOM) ?? at(short, short.length - 1);
}

/** For several turns: 'stages 0 to 7 compute forward passes of micro-batches 2 to 5, input gradients of 0, ...'. */
function windowSentence(actions: readonly PipelineAction[]): string {
  const stages = [...new Set(actions.map(({ stage }) => stage))];
  const who = nounWith('stage', stages);
  const verb = verbOf(actions, stages.length > 1);
  const groups = byKind(actions).map(({ kind, own }, index) => {
    const of = [...new Set(own.map(({ microBatch }) => microBatch))].sort((a, b) => a - b);
    const noun = index > 0 ? '' : of.length > 1 ? 'micro-batches ' : 'micro-batch ';
    const work = own.length > 1 ? at(WORK[kind], 1).replace(/^the /, '') : at(WORK[kind], 0);
    return `${work} of ${noun}${inRanges(of)}`;
  });
  return `${who} ${verb} ${groups.join(', ')}`;
}

const windowInNumbers = (actions: readonly PipelineAction[]): string =>
  `the ranks ${verbOf(actions, true)} ${byKind(actions)
    .map(({ kind, own }) => `${own.length} ${at(WORK[kind], 1).replace(/^the /, '')}`)
    .join(', ')}, over several turns`;

/** '0, 2 to 4 and 7'. */
function inRanges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; ) {
    let end = i;
    while (numbers[end + 1] === at(numbers, end) + 1) end++;
    parts.push(end - i > 1 ? `${at(numbers, i)} to ${at(numbers, end)}` : numbers.slice(i, end + 1).join(', '));
    i = end + 1;
  }
  const all = parts.join(', ');
  const last = all.lastIndexOf(', ');
  return last < 0 ? all : `${all.slice(0, last)} and ${all.slice(last + 2)}`;
}

/** The pipeline ranks that are idle in the turn, in pipeline order. */
function idleIn({ events }: StepTrace, { turn }: Moment, own: readonly TraceEvent[]): readonly Idle[] {
  const stagesOf = new Map<number, Set<number>>();
  const lastOf = new Map<number, number>();
  events.forEach(({ action, device, kind }, index) => {
    if (!action || kind === 'send' || kind === 'recv') return;
    stagesOf.set(device, (stagesOf.get(device) ?? new Set()).add(action.stage));
    lastOf.set(device, index);
  });
  const busy = new Set(own.flatMap(({ action }) => (action ? [action.stage] : [])));
  const seen = new Set<string>();
  const ends = own.map((e) => events.indexOf(e)).reduce((a, b) => Math.max(a, b), -1);
  const ranks = [...stagesOf.entries()]
    .sort(([a], [b]) => a - b)
    .flatMap(([device, stages]) => {
      // Replicas of a pipeline have the same stages; one represents all.
      const key = [...stages].sort((a, b) => a - b).join();
      if (seen.has(key)) return [];
      seen.add(key);
      return [{ device, stages }];
    });
  const several = ranks.some(({ stages }) => stages.size > 1);
  return ranks.flatMap(({ device, stages }, place) => {
    if (turn === undefined || [...stages].some((stage) => busy.has(stage))) return [];
    const noun = several ? ('rank' as const) : ('stage' as const);
    const number = several ? place : at([...stages], 0);
    return [{ noun, number, done: (lastOf.get(device) ?? 0) < ends }];
  });
}

function stageByStage(actions: readonly PipelineAction[], idle: readonly Idle[]): string {
  const clauses: { readonly stage: number; readonly text: string; readonly runs: boolean }[] = [];
  const places = [
    ...actions.map((action) => ({ stage: action.stage, action, idle: undefined })),
    ...idle.map((one) => ({
      stage: one.noun === 'stage' ? one.number : Number.POSITIVE_INFINITY,
      action: undefined,
      idle: one,
    })),
  ].sort((a, b) => a.stage - b.stage);
  const waiting = groupIdle(idle);
  for (const { stage, action, idle: one } of places) {
    if (action) {
      const before = clauses.at(-1);
      const what = `${at(WORK[action.kind], 0)} of micro-batch ${action.microBatch}`;
      clauses.push({
        stage,
        text: `stage ${stage} ${before?.runs ? '' : `${verbOf(actions, false)} `}${what}`,
        runs: true,
      });
      continue;
    }
    const group = one && waiting.find(({ members }) => members[0] === one);
    if (group) clauses.push({ stage, text: group.text, runs: false });
  }
  return clauses.map(({ text }) => text).join(', ');
}

/** Neighbours that wait, or are done, in one clause. */
function groupIdle(idle: readonly Idle[]): readonly { readonly members: readonly Idle[]; readonly text: string }[] {
  const groups: Idle[][] = [];
  for (const one of idle) {
    const before = groups.at(-1);
    const last = before?.at(-1);
    if (before && last?.done === one.done && last.number === one.number - 1) before.push(one);
    else groups.push([one]);
  }
  return groups.map((members) => ({ members, text: idleWords(members) }));
}

/** The clause for ranks that all wait, or are all done. */
function idleWords(members: readonly Idle[]): string {
  const { noun, done } = at(members, 0);
  const many = members.length > 1;
  const verb = done ? `${many ? 'are' : 'is'} done` : many ? 'wait' : 'waits';
  return `${nounWith(
    noun,
    members.map(({ number }) => number),
  )} ${verb}`;
}

/** `names`: the clauses in which the numbers have the noun 'micro-batches'. */
function kindByKind(actions: readonly PipelineAction[], idle: readonly Idle[], names: 'every' | 'first'): string {
  const groups = byKind(actions).map(({ kind, own }, index) => {
    const many = own.length > 1;
    const verb = index === 0 ? `${verbOf(actions, many)} ` : '';
    const stages = nounWith(
      'stage',
      own.map(({ stage }) => stage),
    );
    const of = own.map(({ microBatch }) => microBatch);
    const noun = index === 0 || names === 'every' ? `micro-batch${many ? 'es' : ''} ` : '';
    return `${stages} ${verb}${at(WORK[kind], many ? 1 : 0)} of ${noun}${listed(of)}`;
  });
  return [...groups, ...(names === 'every' ? restNames(idle) : restWords(idle))].join(', ');
}

function inNumbers(actions: readonly PipelineAction[], idle: readonly Idle[]): string {
  const groups = byKind(actions).map(({ kind, own }, index) => {
    const many = own.length > 1;
    const noun = index === 0 ? (many ? ' stages' : ' stage') : '';
    const work = at(WORK[kind], many ? 1 : 0).replace(/^the /, many ? '' : 'a ');
    return `${numberWord(own.length)}${noun} ${verbOf([at(own, 0)], many)} ${work.replace(/^a weight/, 'weight').replace(/^a input/, 'an input')}`;
  });
  return [...groups, ...restWords(idle)].join(', ');
}

function byKind(
  actions: readonly PipelineAction[],
): { readonly kind: Computation; readonly own: readonly PipelineAction[] }[] {
  const kinds = [...new Set(actions.map(({ kind }) => kind))];
  return kinds.map((kind) => ({ kind, own: actions.filter((action) => action.kind === kind) }));
}

/** 'stages 0 and 2 wait', 'stage 3 is done'. */
const restNames = (idle: readonly Idle[]): readonly string[] =>
  [false, true].flatMap((done) => {
    const own = idle.filter((one) => one.done === done);
    return own.length === 0 ? [] : [idleWords(own)];
  });

/** 'stage 2 waits', 'two wait', 'three are done'. */
const restWords = (idle: readonly Idle[]): readonly string[] =>
  [false, true].flatMap((done) => {
    const own = idle.filter((one) => one.done === done);
    if (own.length === 0) return [];
    const many = own.length > 1;
    const who = many ? numberWord(own.length) : `${at(own, 0).noun} ${at(own, 0).number}`;
    return [`${who} ${done ? `${many ? 'are' : 'is'} done` : many ? 'wait' : 'waits'}`];
  });

/** 'stage 2', 'stages 0 and 2', 'stages 0 to 3'. */
function nounWith(noun: string, numbers: readonly number[]): string {
  if (numbers.length === 1) return `${noun} ${at(numbers, 0)}`;
  const first = at(numbers, 0);
  const inLine = numbers.length > 2 && numbers.every((number, i) => number === first + i);
  return `${noun}s ${inLine ? `${first} to ${at(numbers, numbers.length - 1)}` : listed(numbers)}`;
}

/** '0, 1 and 3'; '14 to 3' for a long row. */
function listed(numbers: readonly number[]): string {
  const [first = 0, second = 0] = numbers;
  if (numbers.length === 1) return String(first);
  const by = second - first;
  if (numbers.length > 4 && Math.abs(by) === 1 && numbers.every((number, i) => number === first + i * by))
    return `${first} to ${numbers.at(-1)}`;
  return `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}

/** The sentence of the messages between stages after a turn. */
export function sendSentence(trace: StepTrace, { events }: Moment): string {
  const sent = actionsIn(events.map((index) => at(trace.events, index)));
  const on = sent.filter(({ kind }) => kind === 'F');
  const back = sent.filter(({ kind }) => kind !== 'F');
  const parts = [
    ...sendWords(on, { what: 'activations', whats: 'activations', to: 1, way: 'on' }),
    ...sendWords(back, { what: 'gradient', whats: 'gradients', to: -1, way: 'back' }),
  ];
  const said = parts.join(', ');
  if (said.length <= ROOM) return said;
  return [
    ...(on.length > 0 ? [`${countOf(on)} activations on`] : []),
    ...(back.length > 0 ? [`${countOf(back)} gradients back`] : []),
  ].join(', ');
}

const countOf = ({ length }: readonly PipelineAction[]): string =>
  length === 1 ? 'one stage sends' : `${numberWord(length)} stages send`;

interface SendWords {
  readonly what: string;
  readonly whats: string;
  readonly to: number;
  readonly way: string;
}

function sendWords(sent: readonly PipelineAction[], { what, whats, to, way }: SendWords): readonly string[] {
  const [one] = sent;
  if (!one) return [];
  const back = to < 0 ? ' back' : '';
  if (sent.length === 1)
    return [`stage ${one.stage} sends the ${what} of micro-batch ${one.microBatch}${back} to stage ${one.stage + to}`];
  const stages = nounWith(
    'stage',
    sent.map(({ stage }) => stage),
  );
  return [`${stages} send the ${whats} of micro-batches ${listed(sent.map(({ microBatch }) => microBatch))} ${way}`];
}
