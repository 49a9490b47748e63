/**
 * Sorts events of the Trace Event Format ("Trace Event Format", Google, 2016), from any tool, into lanes by process and
 * thread: X, B and E, b and e become spans, M names, s and f arrows; instants and counters are counted and left out.
 * `kinds.ts` decides later what a span means. Called by `read-json.ts` for each event.
 */
import { lookup } from '../../base/lookup';
import type { RecordingNotice, RecordPlace } from '../imported';
import { FLOW_LIMIT } from '../recording';
import { type CollectiveFacts, factsOf, type RankRuns } from './collective-facts';
import { ColumnBuilder } from './column-builder';

/** A thread or stream of the file. */
export interface RawLane {
  readonly process: string;
  readonly thread: string;
  readonly columns: ColumnBuilder;
  /** Category of each span, index into the trace's strings. */
  readonly categories: number[];
  /** Facts about collectives from args, by the span's position in `columns`. */
  readonly facts: Map<number, CollectiveFacts>;
  readonly open: OpenSpan[];
}

interface OpenSpan {
  readonly name: number;
  readonly category: number;
  readonly startUs: number;
  readonly event: number;
}

export interface RawFlowEnd {
  readonly lane: RawLane;
  readonly us: number;
  readonly name: number;
}

export interface RawTrace {
  readonly file: string;
  readonly strings: Strings;
  readonly lanes: Map<string, RawLane>;
  readonly processNames: Map<string, string>;
  readonly threadNames: Map<string, string>;
  readonly flows: { readonly from: RawFlowEnd; readonly to: RawFlowEnd }[];
  readonly notices: RecordingNotice[];
  spans: number;
}

export class Strings {
  readonly all: string[] = [''];
  private readonly index = new Map<string, number>([['', 0]]);
  of(text: string): number {
    const known = this.index.get(text);
    if (known !== undefined) return known;
    const index = this.all.length;
    this.all.push(text);
    this.index.set(text, index);
    return index;
  }
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
const numberOf = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;

/** The longest text: a longer one (a stack, a list of a thousand shapes) is cut, because people read it. */
const MOST_TEXT = 600;
const brief = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}...` : text);

export class TraceEvents {
  readonly trace: RawTrace;
  private readonly asyncBegins = new Map<string, { readonly span: OpenSpan; readonly lane: RawLane }>();
  private readonly flowBegins = new Map<string, { readonly end: RawFlowEnd; readonly phase: 's' | 't' | 'f' }>();
  private readonly runs: RankRuns = new Map();
  private readonly leftOut = new Map<string, { count: number; readonly first: RecordPlace }>();

  constructor(file: string) {
    this.trace = {
      file,
      strings: new Strings(),
      lanes: new Map(),
      processNames: new Map(),
      threadNames: new Map(),
      flows: [],
      notices: [],
      spans: 0,
    };
  }

  add(event: unknown, index: number, byte: number): void {
    if (!isObject(event)) {
      this.leave('that are no objects', index, byte);
      return;
    }
    const phase = textOf(event['ph']);
    if (phase === 'M') {
      this.addName(event);
      return;
    }
    if (phase === 'i' || phase === 'I' || phase === 'C' || phase === 'R' || phase === 'n') return;
    const startUs = numberOf(event['ts']);
    if (!Number.isFinite(startUs)) {
      this.leave('without a time ("ts")', index, byte);
      return;
    }
    switch (phase) {
      case 'X':
        this.addComplete(event, startUs, index, byte);
        return;
      case 'B':
        this.laneOf(event).open.push(this.opened(event, startUs, index));
        return;
      case 'E':
        this.close(event, startUs, index, byte);
        return;
      case 'b':
      case 'e':
        this.addAsync(event, phase, startUs, index, byte);
        return;
      case 's':
      case 't':
      case 'f':
        this.addFlow(event, phase, startUs);
        return;
      default:
        this.leave(`of the kind "${brief(phase).slice(0, 20)}", which is not known here`, index, byte);
    }
  }

  /** Closes open spans; `textBytes` is the position of the end. */
  end(): RawTrace {
    for (const lane of this.trace.lanes.values()) {
      const last = endOf(lane);
      for (const span of lane.open.splice(0)) {
        this.addSpan(lane, span, Math.max(last, span.startUs), {});
        this.leave('without an end ("B" without "E"), treated as ending with their thread', span.event, undefined);
      }
    }
    for (const { span } of this.asyncBegins.values()) {
      this.leave('without an end ("b" without "e")', span.event, undefined);
    }
    for (const [what, { count, first }] of this.leftOut) {
      const text = `Events ${what}: ${count.toLocaleString('en')}${what.endsWith('thread') ? '' : ', left out'}.`;
      this.trace.notices.push({ level: 'warning', text, place: first });
    }
    return this.trace;
  }

  private leave(what: string, event: number, byte: number | undefined): void {
    const known = this.leftOut.get(what);
    if (known) known.count++;
    else {
      const place = { file: this.trace.file, event, ...(byte === undefined ? {} : { byte }) };
      this.leftOut.set(what, { count: 1, first: place });
    }
  }

  private addName(event: Fields): void {
    const args = isObject(event['args']) ? event['args'] : {};
    const process = textOf(event['pid']);
    const name = brief(textOf(args['name']));
    if (event['name'] === 'process_name') this.trace.processNames.set(process, name);
    else if (event['name'] === 'thread_name') {
      // Kineto gives gloo's threads two names: one for their purpose, and "(python)".
      const key = laneKey(process, textOf(event['tid']));
      const known = this.trace.threadNames.get(key);
      if (known === undefined || known.endsWith('(python)')) this.trace.threadNames.set(key, name);
    }
  }

  private laneOf(event: Fields): RawLane {
    return this.lane(textOf(event['pid']), textOf(event['tid']));
  }

  private lane(process: string, thread: string): RawLane {
    const key = laneKey(process, thread);
    const known = this.trace.lanes.get(key);
    if (known) return known;
    const columns = new ColumnBuilder();
    const lane: RawLane = { process, thread, columns, categories: [], facts: new Map(), open: [] };
    this.trace.lanes.set(key, lane);
    return lane;
  }

  private opened(event: Fields, startUs: number, index: number): OpenSpan {
    const { strings } = this.trace;
    const name = strings.of(brief(textOf(event['name'])));
    return { name, category: strings.of(brief(textOf(event['cat']))), startUs, event: index };
  }

  private addComplete(event: Fields, startUs: number, index: number, byte: number): void {
    const durUs = event['dur'] === undefined ? 0 : numberOf(event['dur']);
    if (!(durUs >= 0)) {
      this.leave('whose duration is negative or not a number', index, byte);
      return;
    }
    const args = isObject(event['args']) ? event['args'] : {};
    this.addSpan(this.laneOf(event), this.opened(event, startUs, index), startUs + durUs, args, durUs);
  }

  private close(event: Fields, us: number, index: number, byte: number): void {
    const lane = this.laneOf(event);
    const span = lane.open.pop();
    if (!span) {
      this.leave('without a begin ("E" without "B")', index, byte);
      return;
    }
    const args = isObject(event['args']) ? event['args'] : {};
    this.addSpan(lane, span, Math.max(us, span.startUs), args);
  }

  private addAsync(event: Fields, phase: 'b' | 'e', us: number, index: number, byte: number): void {
    const key = [event['pid'], event['cat'], event['scope'], event['id'], event['name']].map(textOf).join('\n');
    if (phase === 'b') {
      const lane = this.lane(textOf(event['pid']), `${brief(textOf(event['cat']))} (async)`);
      this.asyncBegins.set(key, { span: this.opened(event, us, index), lane });
      return;
    }
    const begun = this.asyncBegins.get(key);
    if (!begun) {
      this.leave('without a begin ("e" without "b")', index, byte);
      return;
    }
    this.asyncBegins.delete(key);
    this.addSpan(begun.lane, begun.span, Math.max(us, begun.span.startUs), {});
  }

  private addFlow(event: Fields, phase: 's' | 't' | 'f', us: number): void {
    const key = [event['cat'], event['name'], event['id']].map(textOf).join('\n');
    const name = this.trace.strings.of(brief(textOf(event['name'])));
    const end = { lane: this.laneOf(event), us, name };
    const waiting = this.flowBegins.get(key);
    // Kineto writes an arrow's end before its beginning if the thread of the end comes first.
    const isPair = waiting !== undefined && (waiting.phase === 'f') !== (phase === 'f');
    if (isPair && this.trace.flows.length < FLOW_LIMIT) {
      const [from, to] = phase === 'f' || phase === 't' ? [waiting.end, end] : [end, waiting.end];
      this.trace.flows.push({ from, to });
    }
    if (isPair && phase !== 't') this.flowBegins.delete(key);
    else this.flowBegins.set(key, { end, phase });
  }

  private addSpan(lane: RawLane, span: OpenSpan, endUs: number, args: Fields, durUs = endUs - span.startUs): void {
    const { strings } = this.trace;
    const shapes = lookup(args, 'Input Dims') ?? lookup(args, 'Input dims');
    const stack = lookup(args, 'Call stack') ?? lookup(args, 'phase');
    const index = lane.columns.add({
      startUs: span.startUs,
      durUs,
      name: span.name,
      kind: 0,
      shapes: shapes === undefined ? 0 : strings.of(brief(shapesText(shapes))),
      detail: strings.of(brief(textOf(stack))),
    });
    lane.categories.push(span.category);
    this.trace.spans++;
    const facts = factsOf(strings.all[span.name] ?? '', args, this.runs);
    if (facts) lane.facts.set(index, facts);
  }
}

/** The shapes as JSON, cut to the depth and length that are shown. */
function shapesText(value: unknown, depth = 0): string {
  if (Array.isArray(value))
    return depth > MOST_SHAPES_DEPTH
      ? '[...]'
      : `[${value
          .slice(0, MOST_TEXT)
          .map((inner) => shapesText(inner, depth + 1))
          .join(',')}]`;
  return isObject(value) ? '{...}' : JSON.stringify(value ?? null);
}

const MOST_SHAPES_DEPTH = 4;

export const laneKey = (process: string, thread: string): string => `${process}:${thread}`;

function endOf({ columns }: RawLane): number {
  let end = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < columns.count; k++) end = Math.max(end, (columns.startUs[k] ?? 0) + (columns.durUs[k] ?? 0));
  return end;
}
