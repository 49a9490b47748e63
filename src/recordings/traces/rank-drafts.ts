/**
 * The lanes, steps and collectives of each rank in one trace, after reading. Kineto writes one rank per file; in other
 * traces each process is a rank. Times are still the file's own; `join-ranks.ts` puts ranks on one time axis.
 */
import type { LaneRole, RecordedRank, RecordingRank } from '../recording';
import type { SpanKind } from '../spans';
import type { CollectiveFacts } from './collective-facts';
import { collectiveSpan, looselyCollective } from './collective-names';
import { ColumnBuilder } from './column-builder';
import { type FileFacts, rankInName } from './file-facts';
import { kindIndex, kindOf, STEP_NAME } from './kinds';
import { laneKey, type RawFlowEnd, type RawLane, type RawTrace, type Strings } from './trace-events';

export interface DraftLane {
  readonly id: string;
  readonly label: string;
  readonly columns: ColumnBuilder;
  role: LaneRole;
}

/** A collective, or a part of one, as one rank recorded it. */
export interface DraftPart {
  readonly lane: DraftLane;
  readonly span: number;
  readonly startUs: number;
  readonly endUs: number;
  readonly kind: string;
  readonly facts: CollectiveFacts | undefined;
}

export interface DraftStep {
  readonly step: number;
  readonly startUs: number;
  readonly endUs: number;
}

export interface RankDraft {
  readonly trace: RawTrace;
  readonly facts: FileFacts;
  /** The rank; undefined if nothing tells it. */
  readonly rank: RecordingRank | undefined;
  readonly rankFrom: RecordedRank['rankFrom'];
  readonly strings: Strings;
  readonly lanes: readonly DraftLane[];
  readonly parts: readonly DraftPart[];
  readonly steps: readonly DraftStep[];
  readonly flows: readonly { readonly from: DraftEnd; readonly to: DraftEnd; readonly name: number }[];
}

export interface DraftEnd {
  readonly lane: DraftLane;
  readonly us: number;
}

export function rankDrafts(trace: RawTrace, facts: FileFacts): readonly RankDraft[] {
  const lanes = [...trace.lanes.values()].filter((lane) => lane.columns.count > 0);
  if (facts.kind === 'kineto') {
    const own = lanes.filter(({ process }) => process !== 'Spans' && process !== 'Traces');
    const named = rankInName(trace.file);
    if (facts.rank !== undefined) return [draft(trace, facts, own, facts.rank, 'distributedInfo')];
    if (named !== undefined) return [draft(trace, facts, own, named, 'file name')];
    return [draft(trace, facts, own, undefined, 'order of files')];
  }
  const byProcess = lanesByProcess(lanes);
  const processes = [...byProcess.keys()].slice(0, MOST_PROCESSES);
  if (byProcess.size > MOST_PROCESSES) {
    const text = `The file has ${byProcess.size.toLocaleString('en')} processes: only the first ${MOST_PROCESSES.toLocaleString('en')} were read.`;
    trace.notices.push({ level: 'warning', text, place: { file: trace.file } });
  }
  const isOneRank = facts.kind === 'lockstep' && ranksOfTrace(trace).size === 1;
  return processes.map((process) => {
    const own = byProcess.get(process) ?? [];
    const fromEvents = own.flatMap((lane) => [...lane.facts.values()]).find((f) => f.lockstep)?.lockstep?.rank;
    // DataParallel and model parallel are one process with several devices; here each device is a rank.
    if (facts.kind === 'lockstep' && fromEvents !== undefined) {
      const isShared = processes.length > 1 && isOneRank && /^\d{1,6}$/.test(process);
      return draft(trace, facts, own, isShared ? Number(process) : fromEvents, 'events');
    }
    const named = /\b(?:rank|worker)[-_: ]?(\d{1,6})\b/i.exec(trace.processNames.get(process) ?? '')?.[1];
    if (named !== undefined) return draft(trace, facts, own, Number(named), 'process name');
    const inFile = processes.length === 1 ? rankInName(trace.file) : undefined;
    return draft(trace, facts, own, inFile, inFile === undefined ? 'order of files' : 'file name');
  });
}

/** The most processes; each becomes a rank that is compared with the others. */
const MOST_PROCESSES = 1024;

function lanesByProcess(lanes: readonly RawLane[]): ReadonlyMap<string, readonly RawLane[]> {
  const found = new Map<string, RawLane[]>();
  for (const lane of lanes) {
    const known = found.get(lane.process);
    if (known) known.push(lane);
    else found.set(lane.process, [lane]);
  }
  return found;
}

function ranksOfTrace({ lanes }: RawTrace): ReadonlySet<RecordingRank> {
  const ranks = [...lanes.values()].flatMap((lane) => [...lane.facts.values()].map((f) => f.lockstep?.rank));
  return new Set(ranks.filter((rank) => rank !== undefined));
}

const GPU = new Set(['kernel', 'gpu_memcpy', 'gpu_memset', 'gpu_user_annotation']);

function draft(
  trace: RawTrace,
  facts: FileFacts,
  raw: readonly RawLane[],
  rank: RecordingRank | undefined,
  rankFrom: RecordedRank['rankFrom'],
): RankDraft {
  const { strings } = trace;
  const textAt = (index: number): string => strings.all[index] ?? '';
  const gpu = new Set(raw.filter((lane) => lane.categories.some((c) => GPU.has(textAt(c).toLowerCase()))));
  const lanes: DraftLane[] = [];
  const parts: DraftPart[] = [];
  const marks: DraftStep[] = [];
  const mainOf = new Map<RawLane, DraftLane>();
  for (const lane of raw) {
    const made = new Map<string, DraftLane>();
    const isGpu = gpu.has(lane);
    const isAlone = lane.facts.size === lane.columns.count;
    const laneFor = (kind: SpanKind): DraftLane => {
      const part = kind === 'collective' ? 'collectives' : isGpu && isBracket(kind) ? 'annotations' : '';
      const known = made.get(part);
      if (known) return known;
      const key = laneKey(lane.process, lane.thread);
      const name = trace.threadNames.get(key)?.trim() || `thread ${lane.thread}`;
      const fresh: DraftLane = {
        id: part === '' ? key : `${key}:${part}`,
        label: part === '' || isAlone ? name : `${name}: ${part}`,
        columns: new ColumnBuilder(),
        role: part === 'collectives' ? 'communication' : part === 'annotations' ? 'other' : isGpu ? 'compute' : 'host',
      };
      made.set(part, fresh);
      lanes.push(fresh);
      return fresh;
    };
    const { columns } = lane;
    for (let k = 0; k < columns.count; k++) {
      const [name, category] = [textAt(columns.name[k] ?? 0), textAt(lane.categories[k] ?? 0)];
      const said = lane.facts.get(k);
      const kind = kindOf(name, category, said);
      const [startUs, durUs] = [columns.startUs[k] ?? 0, columns.durUs[k] ?? 0];
      const target = laneFor(kind);
      const texts = { name: columns.name[k] ?? 0, shapes: columns.shapes[k] ?? 0, detail: columns.detail[k] ?? 0 };
      const span = target.columns.add({ startUs, durUs, kind: kindIndex(kind), ...texts });
      if (kind === 'collective') {
        const word = said?.kind ?? collectiveSpan(name) ?? looselyCollective(name) ?? name;
        parts.push({ lane: target, span, startUs, endUs: startUs + durUs, kind: word, facts: said });
      }
      const step = isGpu ? undefined : STEP_NAME.exec(name)?.[1];
      if (step !== undefined) marks.push({ step: Number(step), startUs, endUs: startUs + durUs });
    }
    const [first] = made.values();
    const main = made.get('') ?? first;
    if (main) mainOf.set(lane, main);
  }
  setRoles(lanes, gpu.size > 0);
  const steps = marks.length > 0 ? untilTheirKernels(inOrder(marks), trace, gpu) : stepsOfEvents(raw);
  return { trace, facts, rank, rankFrom, strings, lanes, parts, steps, flows: flowsOf(trace, mainOf) };
}

const isBracket = (kind: SpanKind): boolean => kind === 'annotation' || kind === 'step';

/** Without a GPU, threads with operators are compute lanes; others (loaders, only brackets) are not. */
function setRoles(lanes: readonly DraftLane[], hasGpu: boolean): void {
  if (hasGpu) return;
  const computes = [kindIndex('operator'), kindIndex('kernel'), kindIndex('copy')];
  for (const lane of lanes) {
    if (lane.role !== 'host') continue;
    const { kind, count } = lane.columns;
    lane.role = kind.subarray(0, count).some((of) => computes.includes(of)) ? 'compute' : 'other';
  }
}

/** The steps in order; a step that several threads mark counts once. */
function inOrder(marks: readonly DraftStep[]): readonly DraftStep[] {
  const byStep = new Map<number, DraftStep>();
  for (const mark of marks) {
    const known = byStep.get(mark.step);
    const startUs = Math.min(known?.startUs ?? mark.startUs, mark.startUs);
    byStep.set(mark.step, { step: mark.step, startUs, endUs: Math.max(known?.endUs ?? mark.endUs, mark.endUs) });
  }
  return [...byStep.values()].sort((a, b) => a.startUs - b.startUs);
}

/**
 * Moves steps to their kernels, because the CPU may be steps ahead of the GPU: a step ends when its last kernel has
 * run, and begins when the previous step's last kernel has run. If the CPU waits for the GPU, this equals the mark.
 */
function untilTheirKernels(
  steps: readonly DraftStep[],
  { flows }: RawTrace,
  gpu: ReadonlySet<RawLane>,
): readonly DraftStep[] {
  const launches = flows.filter(({ from, to }) => gpu.has(to.lane) && !gpu.has(from.lane));
  if (launches.length === 0) return steps;
  const ends = new Map([...gpu].map(({ columns }) => [columns, endsByStart(columns)]));
  let doneUs = Number.NEGATIVE_INFINITY;
  return steps.map((step, index) => {
    const own = launches.filter(({ from }) => from.us >= step.startUs && from.us < step.endUs);
    const firstUs = own.reduce((first, { to }) => Math.min(first, to.us), Number.POSITIVE_INFINITY);
    // Kernels launched before the recording began keep the GPU busy, too.
    if (index === 0)
      for (const byStart of ends.values())
        for (const [us, endUs] of byStart) if (us < firstUs) doneUs = Math.max(doneUs, Math.min(endUs, firstUs));
    const startUs = Math.max(step.startUs, Number.isFinite(firstUs) ? doneUs : step.startUs);
    const endUs = own.reduce(
      (last, { to }) => Math.max(last, ends.get(to.lane.columns)?.get(to.us) ?? to.us),
      Math.max(step.endUs, startUs),
    );
    doneUs = endUs;
    return { ...step, startUs, endUs };
  });
}

function endsByStart({ count, startUs, durUs }: ColumnBuilder): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  for (let k = 0; k < count; k++) {
    const us = startUs[k] ?? 0;
    ends.set(us, Math.max(ends.get(us) ?? us, us + (durUs[k] ?? 0)));
  }
  return ends;
}

/** In Lockstep's traces, each event has its step's number. */
function stepsOfEvents(lanes: readonly RawLane[]): readonly DraftStep[] {
  return inOrder(
    lanes.flatMap(({ facts, columns }) =>
      [...facts].flatMap(([k, { lockstep }]) => {
        const [startUs, durUs] = [columns.startUs[k] ?? 0, columns.durUs[k] ?? 0];
        return lockstep ? [{ step: lockstep.step, startUs, endUs: startUs + durUs }] : [];
      }),
    ),
  );
}

function flowsOf(trace: RawTrace, mainOf: ReadonlyMap<RawLane, DraftLane>): RankDraft['flows'] {
  const end = ({ lane, us }: RawFlowEnd): DraftEnd | undefined => {
    const drawn = mainOf.get(lane);
    return drawn && { lane: drawn, us };
  };
  return trace.flows.flatMap(({ from, to }) => {
    const [a, b] = [end(from), end(to)];
    return a && b ? [{ from: a, to: b, name: from.name }] : [];
  });
}
