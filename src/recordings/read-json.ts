/**
 * A JSON file, read as it comes: a trace (`traceEvents`, or a bare list of events), a flight recorder's dump
 * (`entries`) or a report of `lockstep collectives` (`rows`). Called by `file-reader.ts`.
 */
import { firstFew } from '../base/brief';
import { LockstepError } from '../base/errors';
import { type FlightRankDraft, flightDraft, get, list } from './flight/read-flight';
import type { RecordingNotice, RecordingSource } from './imported';
import { JsonScanner, type ScanEnd } from './json-scanner';
import type { StreamEnd } from './recording-file';
import type { CollectivesTable } from './tables/collectives-table';
import { readLockstepReport } from './tables/lockstep-report';
import { fileFacts, rankInName } from './traces/file-facts';
import { type RankDraft, rankDrafts } from './traces/rank-drafts';
import { TraceEvents } from './traces/trace-events';

/** The contents of a file; a file without a source was refused, and a notice tells why. */
export interface ReadFile {
  readonly source?: Omit<RecordingSource, 'file' | 'bytes' | 'textBytes'>;
  readonly notices: readonly RecordingNotice[];
  readonly drafts?: readonly RankDraft[];
  /** Of one rank; Lockstep writes all ranks into one file. */
  readonly flights?: readonly FlightRankDraft[];
  readonly table?: CollectivesTable;
}

/** Further events are not read: the page could not show them, and memory would run out. */
const MOST_EVENTS = 5_000_000;
const MOST_ROWS = 100_000;
const MOST_BAD_NOTICES = 3;
/** Texts of fields that nobody reads are not kept. */
const FIELDS = new Set([
  'distributedInfo',
  'schemaVersion',
  'deviceProperties',
  'baseTimeNanoseconds',
  'traceName',
  'host_name',
  'otherData',
  'version',
  'pg_config',
  'request',
]);

export class JsonReader {
  private readonly notices: RecordingNotice[] = [];
  private readonly fields = new Map<string, string>();
  private readonly keys: string[] = [];
  private readonly events: TraceEvents;
  /** Elements of a list of dumps, as Lockstep writes it. */
  private readonly dumps: unknown[] = [];
  /** Elements of `entries` and `rows`. */
  private readonly items: unknown[] = [];
  private list = '';
  private count = 0;
  private bad = 0;
  private readonly scanner: JsonScanner;

  constructor(private readonly file: string) {
    this.events = new TraceEvents(file);
    this.scanner = new JsonScanner({
      lists: ['traceEvents', 'entries', 'rows'],
      begin: (list) => {
        this.list ||= list;
      },
      element: (list, value, index, byte) => {
        this.count++;
        if (isDump(value)) this.dumps.push(value);
        else if (list === 'traceEvents') this.events.add(value, index, byte);
        else if (this.items.length < MOST_ROWS) this.items.push(value);
      },
      field: (key, text) => {
        if (this.keys.length < 20) this.keys.push(key);
        if (FIELDS.has(key)) this.fields.set(key, text);
      },
      bad: (_list, event, byte, reason) => this.addBad(event, byte, reason),
    });
  }

  /** False: no more of it is wanted. */
  push(piece: Uint8Array): boolean {
    return this.scanner.push(piece) && this.count < MOST_EVENTS;
  }

  end(stream: StreamEnd): ReadFile {
    this.noteEnd(this.scanner.end(), stream);
    if (this.bad > MOST_BAD_NOTICES) {
      const text = `${this.bad.toLocaleString('en')} events in all are not valid JSON.`;
      this.notices.push({ level: 'warning', text, place: { file: this.file } });
    }
    if (this.list === 'entries') return this.flight();
    if (this.dumps.length > 0) return this.dumpsOfRanks();
    if (this.list === 'rows') return this.table();
    if (this.list === 'traceEvents') return this.trace();
    if (this.notices.length === 0) {
      const keys = this.keys.length === 0 ? 'nothing' : firstFew(this.keys, 6);
      const text = `The file is JSON without traceEvents, entries or rows (it has ${keys}), so it is not a recording that Lockstep can read.`;
      this.notices.push({ level: 'warning', text, place: { file: this.file } });
    }
    return { notices: this.notices };
  }

  private trace(): ReadFile {
    const trace = this.events.end();
    const facts = fileFacts(this.fields);
    const drafts = rankDrafts(trace, facts);
    const rank = drafts.length === 1 ? drafts[0]?.rank : undefined;
    const notices = [...this.notices, ...trace.notices];
    if (trace.spans === 0) {
      const text =
        'The trace has no event with a duration, so there is nothing to show. PyTorch built without Kineto writes such traces.';
      notices.push({ level: 'warning', text, place: { file: this.file } });
    }
    if (facts.kind === 'kineto') notices.push(...drafts.flatMap((draft) => lackNotices(draft)));
    return {
      notices,
      drafts,
      source: {
        kind: facts.kind,
        entries: this.count,
        ...(rank === undefined ? {} : { rank }),
        ...(facts.backend === undefined ? {} : { backend: facts.backend }),
        ...(facts.host === '' ? {} : { host: facts.host }),
        ...(facts.device === undefined ? {} : { device: facts.device }),
      },
    };
  }

  private flight(): ReadFile {
    const dump = { version: this.parsed('version'), groups: this.parsed('pg_config'), entries: this.items };
    return this.flightsOf([flightDraft(this.file, rankOfDump(this.file), dump)]);
  }

  private dumpsOfRanks(): ReadFile {
    const drafts = this.dumps.map((dump) => {
      const rank = get(dump, 'rank');
      const parts = {
        version: get(dump, 'version'),
        groups: get(dump, 'pg_config'),
        entries: list(get(dump, 'entries')),
      };
      return flightDraft(this.file, typeof rank === 'number' ? rank : undefined, parts);
    });
    return this.flightsOf(drafts);
  }

  private flightsOf(flights: readonly FlightRankDraft[]): ReadFile {
    return { notices: [...this.notices, ...flights.flatMap(leftOutNotice)], flights, source: sourceOf(flights) };
  }

  private table(): ReadFile {
    try {
      const table = readLockstepReport(this.file, this.parsed('request'), this.items);
      return { notices: this.notices, table, source: { kind: 'collectives-table', entries: table.rows.length } };
    } catch (error) {
      if (!(error instanceof LockstepError)) throw error;
      const text = `${error.message} ${error.hint}`;
      return { notices: [...this.notices, { level: 'warning', text, place: { file: this.file } }] };
    }
  }

  private parsed(key: string): unknown {
    try {
      return JSON.parse(this.fields.get(key) ?? 'null') as unknown;
    } catch {
      return undefined;
    }
  }

  private addBad(event: number, byte: number, reason: string): void {
    this.bad++;
    if (this.bad > MOST_BAD_NOTICES) return;
    const text = `Event ${event.toLocaleString('en')} is not valid JSON (${reason}) and was left out.`;
    this.notices.push({ level: 'warning', text, place: { file: this.file, event, byte } });
  }

  private noteEnd(end: ScanEnd, { textBytes, cut }: StreamEnd): void {
    const note = (text: string, place: { byte?: number; event?: number }): void => {
      this.notices.push({ level: 'warning', text, place: { file: this.file, ...place } });
    };
    const why = cut === undefined ? '' : ` (${cut})`;
    const at = (byte: number): string => `byte ${byte.toLocaleString('en')}`;
    if (this.count >= MOST_EVENTS) {
      note(`The file has more than ${MOST_EVENTS.toLocaleString('en')} events; Lockstep did not read the rest.`, {
        byte: textBytes,
      });
    } else if (end.how === 'malformed') {
      const text = `The file is not valid JSON at ${at(end.byte)}: expected ${end.expected}. Lockstep did not read the rest.`;
      note(text, { byte: end.byte });
    } else if (end.how === 'too-long') {
      const text = `The value at ${at(end.byte)} is longer than ${end.mostBytes / 1024 ** 2} MiB; Lockstep did not read the rest.`;
      note(text, { byte: end.byte });
    } else if (end.how === 'cut') {
      const { inside } = end;
      const where = inside ? ` inside event ${inside.index.toLocaleString('en')}` : '';
      const place = inside ? { byte: inside.byte, event: inside.index } : { byte: textBytes };
      note(`The file ends${where}, at ${at(textBytes)}${why}. Lockstep read the events before the cut.`, place);
    } else if (cut !== undefined) note(`Only a part of the file could be read: ${cut}.`, { byte: textBytes });
  }
}

/** Notices about missing parts of the recording, and how to record them. */
function lackNotices({ trace, facts, strings, steps, parts, lanes }: RankDraft): readonly RecordingNotice[] {
  const place = { file: trace.file };
  const lacks: RecordingNotice[] = [];
  if (lanes.length > 0 && steps.length === 0) {
    const text =
      'The trace has no ProfilerStep#N, so the whole trace counts as one step: call prof.step() after each step.';
    lacks.push({ level: 'info', text, place });
  }
  // An all-reduce of one rank launches no kernel.
  if (parts.length === 0 && facts.worldSize !== 1 && strings.all.some((name) => name.startsWith('nccl:'))) {
    const text =
      "The trace launches NCCL's collectives but contains none of their kernels: record with ProfilerActivity.CUDA, too.";
    lacks.push({ level: 'warning', text, place });
  }
  return lacks;
}

const isDump = (value: unknown): boolean => Array.isArray(get(value, 'entries')) && get(value, 'ph') === undefined;

export function sourceOf(flights: readonly FlightRankDraft[]): NonNullable<ReadFile['source']> {
  const [first, ...more] = flights;
  const rank = more.length === 0 ? first?.rank : undefined;
  const entries = flights.reduce((sum, of) => sum + of.entries.length, 0);
  return { kind: 'flight-recorder', entries, ...(rank === undefined ? {} : { rank }) };
}

export function leftOutNotice({ file, leftOut }: FlightRankDraft): readonly RecordingNotice[] {
  if (leftOut === 0) return [];
  const text = `${leftOut.toLocaleString('en')} entries have no profiling_name and record_id and were left out.`;
  return [{ level: 'warning', text, place: { file } }];
}

/** torch names dumps "nccl_trace_rank_3", or by the user's prefix with the rank after it. */
export function rankOfDump(file: string): number | undefined {
  const behind = /(\d{1,6})(?:\.\w+)?$/.exec(file)?.[1];
  return rankInName(file) ?? (behind === undefined ? undefined : Number(behind));
}
