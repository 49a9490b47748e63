/**
 * Finds the same collective in the recordings of several ranks: by process group and torch's sequence number if the
 * file has one, else by order among collectives of the same kind and size, because all ranks of a group call them in
 * the same order. Times are only used to order one rank's collectives; clocks of different ranks are not compared.
 * Called by `join-ranks.ts`.
 */
import type { RecordingRank } from '../recording';
import type { LockstepFacts } from './collective-facts';
import { bytesOf } from './collective-names';
import type { DraftLane, DraftPart, RankDraft } from './rank-drafts';

export interface MatchedPart {
  readonly rank: RecordingRank;
  readonly startUs: number;
  readonly endUs: number;
  readonly lane: DraftLane;
  readonly span: number;
}

export interface MatchedCollective {
  readonly kind: string;
  readonly group: string;
  readonly groupDescription: string;
  readonly groupRanks: readonly RecordingRank[];
  /** The sequence number; undefined: counted later, in order of time. */
  readonly sequence: number | undefined;
  readonly dtype: string;
  readonly elements: number;
  readonly bytes: number;
  readonly step: number | undefined;
  readonly parts: readonly MatchedPart[];
}

export interface NumberedDraft {
  readonly rank: RecordingRank;
  readonly draft: RankDraft;
  /** The value subtracted from the file's times. */
  readonly originUs: number;
}

/** A collective on one rank; NCCL's coalesced kernels, and Lockstep's messages, are joined to one call. */
interface Call {
  readonly rank: RecordingRank;
  readonly draft: RankDraft;
  readonly first: DraftPart;
  readonly startUs: number;
  readonly endUs: number;
  readonly elements: number;
  readonly bytes: number | undefined;
  readonly step: number | undefined;
  readonly key: string;
}

export function matchCollectives(ranks: readonly NumberedDraft[]): readonly MatchedCollective[] {
  const calls = ranks.map(callsOf);
  const byKey = new Map<string, Call[]>();
  for (const call of numbered(calls)) {
    const found = byKey.get(call.key);
    if (found) found.push(call);
    else byKey.set(call.key, [call]);
  }
  return [...byKey.values()].map((of) => collectiveOf(of, ranks.length));
}

function callsOf({ rank, draft, originUs }: NumberedDraft): readonly Call[] {
  const joined = new Map<string, Call>();
  const calls: Call[] = [];
  const parts = [...draft.parts].sort((a, b) => a.startUs - b.startUs);
  const bytesOfChunks = chunkBytes(draft);
  for (const part of parts) {
    const { facts, kind } = part;
    if (facts?.lockstep && facts.lockstep.collective === undefined) continue;
    const step = facts?.lockstep?.step ?? stepAt(draft, part.startUs);
    const exact = exactKey(part, rank);
    const call: Call = {
      rank,
      draft,
      first: part,
      startUs: part.startUs - originUs,
      endUs: part.endUs - originUs,
      elements: facts?.elements ?? 0,
      bytes: undefined,
      step,
      key: exact ?? `order\n${groupOf(part, draft)}\n${kind}\n${signature(part)}`,
    };
    const known = exact === undefined ? undefined : joined.get(exact);
    if (!known) {
      if (exact === undefined) calls.push(call);
      else joined.set(exact, facts?.lockstep ? { ...call, bytes: bytesOfChunks.get(exact) ?? 0 } : call);
      continue;
    }
    const elements = known.elements + (facts?.lockstep ? 0 : call.elements);
    joined.set(call.key, { ...known, endUs: Math.max(known.endUs, call.endUs), elements });
  }
  return [...joined.values(), ...calls];
}

/** The key of a collective that the file itself identifies. */
function exactKey({ facts, kind }: DraftPart, rank: RecordingRank): string | undefined {
  if (!facts) return undefined;
  const { lockstep, sequence, group, groupRanks, source, destination } = facts;
  if (lockstep) return lockstepKey(lockstep);
  if (source !== undefined || destination !== undefined) return undefined;
  if (sequence === undefined || kind === 'send' || kind === 'recv') return undefined;
  // Groups made by split_group may share a name but differ in their ranks.
  const members = groupRanks ? membersText(groupRanks) : group === '' ? `of rank ${rank}` : '';
  return `sequence\n${group}\n${members}\n${kind}\n${sequence}`;
}

/**
 * A text for a list of ranks; a long list is named by its length, first and last entry, which is enough because few
 * groups share a name.
 */
const membersText = (ranks: readonly RecordingRank[]): string =>
  ranks.length <= 64
    ? ranks.join(' ')
    : `${ranks.length}: ${ranks.slice(0, 32).join(' ')} ... ${ranks.slice(-32).join(' ')}`;

/** The properties that must be equal for two ranks to call the same collective. */
function signature({ facts, kind }: DraftPart): string {
  if (!facts) return '';
  // The size is left out, because only the root has the whole tensor.
  const size = kind === 'scatter' || kind === 'gather' ? '' : facts.elements;
  const way = facts.source === undefined && facts.destination === undefined ? '' : 'p2p';
  return `${size} ${facts.dtype} ${way}`;
}

const groupOf = ({ facts, kind }: DraftPart, draft: RankDraft): string => {
  const [only, ...more] = draft.facts.groups;
  const name = facts?.group || (only && more.length === 0 ? only.group : '');
  return facts && (kind === 'send' || kind === 'recv' || kind === 'send_recv')
    ? `${name} ${pairOf(facts, draft)}`
    : name;
};

function pairOf({ source, destination }: NonNullable<DraftPart['facts']>, { rank }: RankDraft): string {
  if (destination !== undefined) return `${rank ?? '?'}->${destination}`;
  return source === undefined ? '' : `${source}->${rank ?? '?'}`;
}

/** Numbers the calls that only their order distinguishes. */
function numbered(calls: readonly (readonly Call[])[]): readonly Call[] {
  const counts = new Map<string, Set<number>>();
  for (const own of calls) {
    const perKey = new Map<string, number>();
    for (const { key } of own.filter(isByOrder)) perKey.set(key, (perKey.get(key) ?? 0) + 1);
    for (const [key, count] of perKey) counts.set(key, (counts.get(key) ?? new Set()).add(count));
  }
  return calls.flatMap((own) => {
    const seen = new Map<string, number>();
    return own.map((call) => {
      if (!isByOrder(call)) return call;
      // Recordings may begin at different collectives; counting then starts again at each step, on which ranks agree.
      const isSame = counts.get(call.key)?.size === 1;
      const key = isSame ? call.key : `${call.key}\n${call.step ?? 'outside'}`;
      const index = seen.get(key) ?? 0;
      seen.set(key, index + 1);
      return { ...call, key: `${key}\n${index}` };
    });
  });
}

const isByOrder = ({ key }: Call): boolean => key.startsWith('order\n');

function collectiveOf(calls: readonly Call[], recorded: number): MatchedCollective {
  const inOrder = [...calls].sort((a, b) => a.rank - b.rank);
  const [lowest] = inOrder;
  if (!lowest) throw new RangeError('a collective without parts');
  const { facts, kind } = lowest.first;
  const own = lowest.draft.facts.groups;
  const [only, ...more] = own;
  const group = facts?.group || (only && more.length === 0 ? only.group : '');
  const known = own.find((of) => of.group === group);
  const groupRanks = facts?.groupRanks ?? known?.ranks ?? inOrder.map(({ rank }) => rank);
  const size =
    facts?.groupSize ?? known?.ranks?.length ?? Math.max(inOrder.length, lowest.draft.facts.worldSize ?? recorded);
  const isShare = facts?.isInputOnly === true && (kind === 'all_gather' || kind === 'gather');
  const elements = Math.max(...inOrder.map((call) => call.elements)) * (isShare ? size : 1);
  const dtype = facts?.dtype ?? '';
  return {
    kind,
    group,
    groupDescription: facts?.groupDescription || known?.description || '',
    groupRanks,
    sequence: facts?.sequence,
    dtype,
    elements,
    bytes: Math.max(...inOrder.map(({ bytes }) => bytes ?? 0)) || elements * bytesOf(dtype),
    step: lowest.step,
    parts: inOrder.map(({ rank, startUs, endUs, first }) => ({
      rank,
      startUs,
      endUs,
      lane: first.lane,
      span: first.span,
    })),
  };
}

function stepAt({ steps }: RankDraft, us: number): number | undefined {
  // Steps are in the order of their start; if steps overlap, the one that began last before this moment counts.
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle]?.startUs ?? 0) <= us) low = middle + 1;
    else high = middle;
  }
  const found = steps[low - 1];
  return found !== undefined && us < found.endUs ? found.step : undefined;
}

/** The bytes of each collective in Lockstep's trace, by its key; each chunk counts once. */
function chunkBytes({ parts }: RankDraft): ReadonlyMap<string, number> {
  const chunks = new Map<string, Map<number, number>>();
  for (const { facts } of parts) {
    const { lockstep } = facts ?? {};
    if (!lockstep) continue;
    const key = lockstepKey(lockstep);
    const known = chunks.get(key) ?? new Map<number, number>();
    chunks.set(key, known);
    const chunk = lockstep.chunk ?? 0;
    known.set(chunk, Math.max(known.get(chunk) ?? 0, lockstep.bytes));
  }
  return new Map([...chunks].map(([key, of]) => [key, [...of.values()].reduce((sum, bytes) => sum + bytes, 0)]));
}

const lockstepKey = ({ step, collective, bucket }: LockstepFacts): string =>
  `lockstep\n${step}\n${collective}\n${bucket ?? ''}`;
