/**
 * Files that were made to cost their reader more than their size: numbers that stand for a million ranks, one key ten
 * thousand times, lists that all contain each other. A row makes a file of about the given number of bytes, and the
 * promise limits the work by this size.
 */
import fc from 'fast-check';
import { gzipSync } from 'fflate';

export interface GrownFile {
  readonly how: string;
  readonly bytes: number;
}
type Row = (bytes: number) => Readonly<Record<string, string | Uint8Array>>;

const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: Math.max(1, count) }, (_, k) => of(k));
const event = (index: number, more: object = {}): object => ({
  ph: 'X',
  name: 'a',
  pid: 1,
  tid: 1,
  ts: index,
  dur: 1,
  ...more,
});
const trace = (events: readonly object[], more: object = {}): string =>
  JSON.stringify({ ...more, traceEvents: events });
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const entry = (sequence: number, more: object = {}): object => ({
  record_id: sequence,
  collective_seq_id: sequence,
  profiling_name: 'nccl:all_reduce',
  process_group: ['0', 'default_pg'],
  state: 'completed',
  ...more,
});
const LOCKSTEP = { otherData: { producer: 'Lockstep' } };
/** A header of nccl-tests, and a row that matches it. */
const wide = (columns: number): string => {
  const header = ['size', 'count', 'type', 'redop', 'root', 'algbw', 'busbw', ...times(columns, () => 'time')];
  return `# ${header.join(' ')}\n${header.map(() => '1').join(' ')}\n`;
};

/** Files that `lockstep import` reads. */
export const GROWN_RECORDINGS: Readonly<Record<string, Row>> = {
  'a process for each event': (n) => ({
    'a.json': trace(times(n / 70, (k) => event(0, { name: 'nccl:all_reduce', pid: k }))),
  }),
  'a thread for each event': (n) => ({ 'a.json': trace(times(n / 60, (k) => event(k, { tid: k }))) }),
  'spans that overlap': (n) => ({ 'a.json': trace(times(n / 65, (k) => event(k, { dur: 1e7 }))) }),
  'spans inside one another': (n) => ({ 'a.json': trace(times(n / 65, (k) => event(k, { dur: 1e7 - 2 * k }))) }),
  'a step for each collective': (n) => ({
    'rank0.json': trace(
      times(n / 150, (k) => event(2 * k, { name: `ProfilerStep#${k}`, tid: 2 })).flatMap((step, k) => [
        step,
        event(2 * k, { name: 'nccl:all_reduce' }),
      ]),
      { schemaVersion: 1 },
    ),
  }),
  'a name for each annotation': (n) => ({
    'rank0.json': trace(
      times(n / 90, (k) => event(2 * k, { name: `n${k}`, cat: 'user_annotation' })),
      { schemaVersion: 1 },
    ),
  }),
  'collectives of one step': (n) => ({
    'a.json': trace(
      times(n / 160, (k) =>
        event(k, { args: { step: 0, rank: 0, phase: 'x', collective: 'allReduce', bucket: k, bytes: 4 } }),
      ),
      LOCKSTEP,
    ),
  }),
  'a rank beyond counting': () => ({
    'a.json': trace([event(0)], { schemaVersion: 1, distributedInfo: { rank: 2 ** 52, world_size: 2 ** 53 - 1 } }),
  }),
  'ranks by a group of size': () => ({
    'rank0.json': trace(
      [event(0, { name: 'nccl:all_reduce', args: { 'Group size': 2 ** 50, 'Process Group Ranks': '[0, 1, ...]' } })],
      { schemaVersion: 1 },
    ),
  }),
  'a world of many': () => ({
    'a.json': trace([event(0)], { schemaVersion: 1, distributedInfo: { rank: 0, world_size: 2 ** 33 } }),
  }),
  'kinds of events': (n) => ({ 'a.json': trace(times(n / 45, (k) => ({ ph: `?${k}`, ts: 1 }))) }),
  'shapes nested': (n) => ({
    'a.json': trace([event(0)]).replace('"dur":1', `"dur":1,"args":{"Input Dims":${nested(n / 2)}}`),
  }),
  'long names': (n) => ({
    'a.json': trace([event(0, { name: 'x'.repeat(n / 4) })], {
      schemaVersion: 1,
      host_name: 'h'.repeat(n / 4),
      distributedInfo: { backend: 'b'.repeat(n / 4), rank: 0 },
      deviceProperties: [{ name: 'd'.repeat(n / 4) }],
    }),
  }),
  'signs that a terminal obeys': () => ({
    'a.json': trace([event(0, { name: '\u001b[2J\u0007nccl:all_reduce' })], {
      schemaVersion: 1,
      distributedInfo: { backend: '\u001b[31m', rank: 0 },
    }),
  }),
  'a key for each byte': (n) => ({ 'a.json': JSON.stringify(Object.fromEntries(times(n / 10, (k) => [`k${k}`, 1]))) }),
  'sequence numbers far apart': () => ({ 'a_rank0.json': JSON.stringify({ entries: [entry(0), entry(2 ** 50)] }) }),
  'entries of one group': (n) => ({ 'a_rank0.json': JSON.stringify({ entries: times(n / 150, (k) => entry(k)) }) }),
  'a group for each entry': (n) => ({
    'a_rank0.json': JSON.stringify({ entries: times(n / 150, (k) => entry(0, { process_group: [`${k}`, ''] })) }),
  }),
  'members of groups': (n) => ({
    'a.json': JSON.stringify(
      times(n / 1000, (rank) => ({
        rank,
        pg_config: { 0: { name: '0', ranks: times(n / 50, (k) => k).slice(0, rank === 0 ? n : 10) } },
        entries: times(3, (k) => entry(k)),
      })),
    ),
  }),
  'dumps of one rank': (n) => ({ 'a.json': JSON.stringify(times(n / 150, () => ({ rank: 1, entries: [entry(1)] }))) }),
  'a pickle of references': (n) => ({ a_rank_0: references(n) }),
  'a pickle nested': (n) => ({
    a_rank_0: Uint8Array.from([
      0x80,
      2,
      ...new Uint8Array(n / 2).fill(0x5d),
      ...new Uint8Array(n / 2).fill(0x61),
      0x2e,
    ]),
  }),
  'columns of a table': (n) => ({ 'all_reduce.txt': wide(n / 7) }),
  'ranks of a table': (n) => ({ 'a.txt': `${times(n / 10, (k) => `# Rank ${k}\n`).join('')}${wide(1)}` }),
  'one list in a list': (n) => ({ 'a.json': nested(n / 2) }),
  'packed space': (n) => ({ 'a.json.gz': gzipSync(new Uint8Array(100 * n).fill(0x20)) }),
  'packed events': (n) => ({ 'a.json.gz': gzipSync(new TextEncoder().encode(trace(times(n / 3, () => event(0))))) }),
  'packed lines': (n) => ({ 'a.txt.gz': gzipSync(new Uint8Array(100 * n).fill(0x0a)) }),
};

/** Lists of a pickle; each list contains the list before it many times. */
function references(bytes: number): Uint8Array {
  const made = [0x80, 2, 0x5d, 0x71, 0];
  for (let level = 1; level < 200; level++) {
    made.push(0x5d, 0x71, level, 0x28);
    for (let k = 0; k < bytes / 400; k++) made.push(0x68, level - 1);
    made.push(0x65);
  }
  return Uint8Array.from([...made, 0x2e]);
}

const report = (more: object): string => JSON.stringify({ losses: [1], ...more });

/** Reports that `lockstep compare` reads. Each is compared with itself with another loss. */
export const GROWN_REPORTS: Readonly<Record<string, (bytes: number) => string>> = {
  'losses of one step': (n) => JSON.stringify({ losses: times(n / 35, (k) => ({ step: 0, microBatch: k, loss: 1 })) }),
  'losses of one step, twice': (n) =>
    JSON.stringify({ losses: [...times(n / 25, () => ({ step: 0, loss: 1 })), { step: 1, loss: 1 }] }),
  'ranks in one loss': (n) =>
    JSON.stringify({ losses: [{ loss: 1, perRank: times(n / 4, () => 1) }, ...times(n / 4, () => 1)] }),
  'a long key and many settings': (n) =>
    report({ config: { ['k'.repeat(n / 2)]: { a: 1 }, ...Object.fromEntries(times(n / 24, (k) => [`${k}`, k])) } }),
  'settings nested': (n) => report({ config: { a: 'x' } }).replace('"x"', nested(n / 2)),
  'a tensor name for each step': (n) =>
    report({ history: times(n / 60, (step) => ({ step, parameters: { [`w${step}`]: { sample: [1] } } })) }),
  'long names of tensors': (n) =>
    report({ weights: Object.fromEntries(times(4, (k) => [`${k}${'w'.repeat(n / 8)}`, { shape: [1], values: [1] }])) }),
  'many tensors': (n) =>
    report({ weights: Object.fromEntries(times(n / 40, (k) => [`w${k}`, { shape: [1], values: [1] }])) }),
  'sizes of a shape': (n) => report({ weights: { w: { shape: times(n / 3, () => 1), values: [1] } } }),
  'kinds of payload': (n) =>
    report({ bytes: { payloadPerStep: Object.fromEntries(times(n / 12, (k) => [`k${k}`, k])) } }),
  'peaks of ranks': (n) =>
    report({ pipeline: { bubble: { counted: 0.5 }, peakActivations: { counted: times(n / 2, () => 1) } } }),
  'a text without its end': (n) => `{"losses": [NaN, "${'\\"'.repeat(n / 2)}`,
  'a text that is all escapes': (n) => `{"losses": [NaN], "config": {"a": "${'\\"'.repeat(n / 2)}"}}`,
  'lists without an end': (n) => `{"losses": ${'['.repeat(n)}`,
  'words that are no JSON': (n) => `{"losses": [NaN] ${'a'.repeat(n)}`,
  'a long engine': (n) => report({ engine: { name: 'e'.repeat(n / 2), version: 'v'.repeat(n / 2) } }),
  'signs that a terminal obeys': () =>
    report({ weights: { '\u001b[2J': { shape: [1], values: [1] } }, config: { '\u001b]0;a\u0007': 1 } }),
};

const grown = (table: Readonly<Record<string, unknown>>, most: number): fc.Arbitrary<GrownFile> =>
  fc.record({ how: fc.constantFrom(...Object.keys(table)), bytes: fc.integer({ min: 1000, max: most }) });
/** As large as possible while a case still takes only a moment. */
export const MOST_GROWN_BYTES = 400_000;
export const grownRecording = grown(GROWN_RECORDINGS, MOST_GROWN_BYTES);
export const grownReport = grown(GROWN_REPORTS, MOST_GROWN_BYTES);
