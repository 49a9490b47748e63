/**
 * Joins the ranks of all traces to one Recording: numbers the ranks, puts them on one time axis, matches their
 * collectives and aligns their clocks by these. Called by `import-files.ts` when all files are read.
 */

import { firstFew } from '../../base/brief';
import type { RecordingNotice } from '../imported';
import type {
  ClockOffset,
  LaneRole,
  RecordedCollective,
  RecordedFlow,
  RecordedLane,
  RecordedRank,
  RecordedStep,
  Recording,
  RecordingRank,
} from '../recording';
import { alignClocks } from './align-clocks';
import { finish } from './column-builder';
import { type MatchedCollective, matchCollectives, type NumberedDraft } from './match-collectives';
import type { DraftLane, RankDraft } from './rank-drafts';

export interface Joined {
  readonly recording: Recording;
  readonly notices: readonly RecordingNotice[];
}

export function joinRanks(drafts: readonly RankDraft[]): Joined | undefined {
  const notices: RecordingNotice[] = [];
  const ranks = onOneAxis(
    numberRanks(
      drafts.filter(({ lanes }) => lanes.length > 0),
      notices,
    ),
  );
  if (ranks.length === 0) return undefined;
  const matched = matchCollectives(ranks);
  // Ranks of one file share a clock, as do ranks of one machine.
  const hosts = new Map(ranks.map(({ rank, draft }) => [rank, draft.facts.host || `file ${draft.trace.file}`]));
  const clocks = alignClocks(
    ranks.map(({ rank }) => rank),
    hosts,
    matched,
  );
  const shifts = shiftsOf(ranks, clocks);
  const made = ranks.map((rank, index) => rankOf(rank, shifts[index] ?? 0));
  const collectives = collectivesOf(matched, ranks, shifts, made);
  const worldSize = Math.max(...ranks.map(({ rank, draft }) => Math.max(rank + 1, draft.facts.worldSize ?? 0)));
  notices.push(...missingNotices(ranks, worldSize, collectives));
  const recording: Recording = {
    title: titleOf(ranks, worldSize),
    clock: ranks.some(({ draft }) => draft.facts.clock === 'modelled') ? 'modelled' : 'measured',
    worldSize,
    ranks: made.map(({ rank }) => rank),
    collectives,
    steps: [...new Set(made.flatMap(({ rank }) => rank.steps.map(({ step }) => step)))].sort((a, b) => a - b),
    clocks,
    durUs: made.reduce((most, { rank }) => Math.max(most, rank.endUs), 0),
    spanCount: made.reduce((sum, { rank }) => sum + rank.lanes.reduce((n, { spans }) => n + spans.count, 0), 0),
  };
  return { recording, notices };
}

/** If two files claim a rank, the first gets it; a trace without a rank gets the next free one. */
function numberRanks(
  drafts: readonly RankDraft[],
  notices: RecordingNotice[],
): readonly Omit<NumberedDraft, 'originUs'>[] {
  const taken = new Map<RecordingRank, RankDraft>();
  const homeless: RankDraft[] = [];
  for (const draft of drafts) {
    if (draft.rank === undefined || taken.has(draft.rank)) homeless.push(draft);
    else taken.set(draft.rank, draft);
  }
  let free = 0;
  for (const draft of homeless) {
    while (taken.has(free)) free++;
    taken.set(free, draft);
    const file = draft.trace.file;
    const isGuess = drafts.length > 1 || draft.rank !== undefined;
    const why =
      draft.rank === undefined
        ? 'The file does not say which rank it is of'
        : `Another file is also of rank ${draft.rank}`;
    if (isGuess)
      notices.push({ level: 'warning', text: `${why}; Lockstep treats this file as rank ${free}.`, place: { file } });
  }
  return [...taken].map(([rank, draft]) => ({ rank, draft })).sort((a, b) => a.rank - b.rank);
}

/** Shifts all times, on the recorded clocks, so that the first event is at 0. */
function onOneAxis(ranks: readonly Omit<NumberedDraft, 'originUs'>[]): readonly NumberedDraft[] {
  const begins = ranks.map(({ draft }) => ({ base: draft.facts.baseNs, us: firstUs(draft) }));
  const zero = begins.reduce(
    (a, b) => (Number(b.base - a.base) / 1000 + b.us - a.us < 0 ? b : a),
    begins[0] ?? NOWHERE,
  );
  return ranks.map((rank) => ({ ...rank, originUs: Number(zero.base - rank.draft.facts.baseNs) / 1000 + zero.us }));
}

const NOWHERE = { base: 0n, us: 0 };

function firstUs({ lanes }: RankDraft): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { columns } of lanes) {
    for (let k = 0; k < columns.count; k++) first = Math.min(first, columns.startUs[k] ?? first);
  }
  return Number.isFinite(first) ? first : 0;
}

/** The value subtracted from each rank's times, so that clocks agree and no time is below 0. */
function shiftsOf(ranks: readonly NumberedDraft[], clocks: readonly ClockOffset[]): readonly number[] {
  const shifts = ranks.map(({ originUs }, index) => originUs + (clocks[index]?.appliedUs ?? 0));
  const first = Math.min(...ranks.map(({ draft }, index) => firstUs(draft) - (shifts[index] ?? 0)));
  return shifts.map((shift) => shift + first);
}

interface MadeRank {
  readonly rank: RecordedRank;
  /** For each lane, its index and the new positions of its spans. */
  readonly places: ReadonlyMap<DraftLane, { readonly index: number; readonly positions: Uint32Array }>;
}

const ROLES: readonly LaneRole[] = ['compute', 'communication', 'host', 'other'];

function rankOf({ rank, draft }: NumberedDraft, shiftUs: number): MadeRank {
  const lanes = [...draft.lanes].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  const finished = lanes.map(({ columns }) => finish(columns, shiftUs));
  const places = new Map(
    lanes.map((lane, index) => [lane, { index, positions: finished[index]?.positions ?? new Uint32Array(0) }]),
  );
  const recorded = lanes.map(({ id, label, role }, index): RecordedLane => {
    const { spans, rows } = finished[index] ?? finish(lanes[index]?.columns ?? raise(), shiftUs);
    return { id, label, role, spans, rows };
  });
  const startUs = recorded.reduce(
    (first, { spans }) => Math.min(first, spans.startUs[0] ?? first),
    Number.POSITIVE_INFINITY,
  );
  const endUs = recorded.reduce((last, { spans }) => Math.max(last, lastEnd(spans.startUs, spans.durUs)), 0);
  const marked = draft.steps.map(({ step, ...span }): RecordedStep => {
    return { step, startUs: span.startUs - shiftUs, endUs: span.endUs - shiftUs, marked: true };
  });
  const flows = draft.flows.map(
    ({ from, to, name }): RecordedFlow => ({
      fromLane: places.get(from.lane)?.index ?? 0,
      fromUs: from.us - shiftUs,
      toLane: places.get(to.lane)?.index ?? 0,
      toUs: to.us - shiftUs,
      name: draft.strings.all[name] ?? '',
    }),
  );
  return {
    rank: {
      rank,
      rankFrom: draft.rank === rank ? draft.rankFrom : 'order of files',
      file: draft.trace.file,
      host: draft.facts.host,
      strings: draft.strings.all,
      lanes: recorded,
      steps: marked.length > 0 ? marked : [{ step: 0, startUs, endUs, marked: false }],
      startUs,
      endUs,
      flows,
    },
    places,
  };
}

const raise = (): never => {
  throw new RangeError('a lane without columns');
};

function lastEnd(startUs: Float64Array, durUs: Float64Array): number {
  let end = 0;
  for (let k = 0; k < startUs.length; k++) end = Math.max(end, (startUs[k] ?? 0) + (durUs[k] ?? 0));
  return end;
}

function collectivesOf(
  matched: readonly MatchedCollective[],
  ranks: readonly NumberedDraft[],
  shifts: readonly number[],
  made: readonly MadeRank[],
): readonly RecordedCollective[] {
  const indexOf = new Map(ranks.map(({ rank }, index) => [rank, index]));
  const placed = matched.map((collective) => ({
    collective,
    parts: collective.parts.map(({ rank, lane, span, startUs, endUs }) => {
      const index = indexOf.get(rank) ?? 0;
      const moved = (shifts[index] ?? 0) - (ranks[index]?.originUs ?? 0);
      const place = made[index]?.places.get(lane);
      return {
        rank,
        startUs: startUs - moved,
        endUs: endUs - moved,
        lane: place?.index ?? 0,
        span: place?.positions[span] ?? 0,
      };
    }),
  }));
  const first = (parts: readonly { readonly startUs: number }[]): number => Math.min(...parts.map((p) => p.startUs));
  placed.sort((a, b) => first(a.parts) - first(b.parts));
  const counts = new Map<string, number>();
  return placed.map(({ collective, parts }, id): RecordedCollective => {
    const counted = counts.get(collective.group) ?? 0;
    counts.set(collective.group, counted + 1);
    const { sequence = counted, ...said } = collective;
    return { ...said, id, sequence, sequenceFrom: collective.sequence === undefined ? 'order' : 'file', parts };
  });
}

function missingNotices(
  ranks: readonly NumberedDraft[],
  worldSize: number,
  collectives: readonly RecordedCollective[],
): readonly RecordingNotice[] {
  const file = ranks[0]?.draft.trace.file ?? '';
  const here = new Set(ranks.map(({ rank }) => rank));
  const missing = worldSize - here.size;
  const notices: RecordingNotice[] = [];
  if (missing > 0) {
    const first: RecordingRank[] = [];
    for (let rank = 0; first.length < Math.min(missing, 8); rank++) if (!here.has(rank)) first.push(rank);
    const which = `${first.join(', ')}${missing > 8 ? ', ...' : ''}`;
    const text = `The run had ${worldSize} ranks; rank${missing === 1 ? '' : 's'} ${which} ${missing === 1 ? 'is' : 'are'} missing, so waits for ${missing === 1 ? 'it' : 'them'} are not known.`;
    notices.push({ level: 'warning', text, place: { file } });
  }
  // A send of gloo does not name its receiver, so it is not matched.
  const shared = collectives.filter(({ kind }) => kind !== 'send' && kind !== 'recv');
  const given = new Map<readonly RecordingRank[], number>();
  const givenOf = (group: readonly RecordingRank[]): number => {
    const known = given.get(group) ?? group.reduce((count, rank) => count + (here.has(rank) ? 1 : 0), 0);
    given.set(group, known);
    return known;
  };
  const partial = shared.filter(({ parts, groupRanks }) => parts.length < givenOf(groupRanks));
  if (partial.length > 0) {
    const text = `${partial.length} of ${shared.length} collectives were recorded only on some of their ranks: the recordings of the ranks begin or end at different collectives.`;
    notices.push({ level: 'info', text, place: { file } });
  }
  return notices;
}

const KIND_NAMES = { kineto: 'torch.profiler', lockstep: 'Lockstep', 'chrome-trace': 'Chrome trace' };

function titleOf(ranks: readonly NumberedDraft[], worldSize: number): string {
  const kinds = [...new Set(ranks.map(({ draft }) => KIND_NAMES[draft.facts.kind]))];
  const backends = new Set(ranks.map(({ draft }) => draft.facts.backend).filter((name) => name !== undefined));
  const count = ranks.length === worldSize ? `${worldSize}` : `${ranks.length} of ${worldSize}`;
  const on = backends.size === 0 ? [] : [firstFew([...backends], 3)];
  return [kinds.join(' and '), `${count} rank${worldSize === 1 ? '' : 's'}`, ...on].join(', ');
}
