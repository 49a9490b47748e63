/**
 * Reads JSON of the form {"key": value, "traceEvents": [element, ...]} or [element, ...] piece by piece: finds where
 * each element ends and hands elements over in batches, so that a file of 100 MB is never in memory as a whole.
 * JSON.parse reads the elements themselves. Elements that are not valid JSON are reported with their place, and reading
 * goes on after them. Called by `read-json.ts`.
 */

export interface ScanSink {
  /** Keys whose arrays come element by element; the values of all others come as text. */
  readonly lists: readonly string[];
  /** A list of `lists` begins; it may be empty. */
  begin(list: string): void;
  element(list: string, value: unknown, index: number, byte: number): void;
  /** A key of the outermost object with the text of its value. */
  field(key: string, text: string, byte: number): void;
  /** An element that JSON.parse refuses. */
  bad(list: string, index: number, byte: number, reason: string): void;
}

/** How a file ended. `inside`: the element in which it broke off, and the element's start. */
export type ScanEnd =
  | { readonly how: 'whole' }
  | { readonly how: 'cut'; readonly list?: string; readonly inside?: { readonly index: number; readonly byte: number } }
  /** The syntax is wrong at this byte; nothing after it was read. */
  | { readonly how: 'malformed'; readonly byte: number; readonly expected: string }
  | { readonly how: 'too-long'; readonly byte: number; readonly mostBytes: number };

/** Longer elements or fields are not read; no tool writes such long ones. */
const MOST_ELEMENT_BYTES = 8 * 1024 * 1024;
const BATCH = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** What the scanner expects next, outside of a value. */
type Expect = 'outermost' | 'key' | 'colon' | 'value' | 'after-value' | 'element' | 'after-element' | 'nothing';

export class JsonScanner {
  private bytes: Uint8Array = new Uint8Array(0);
  /** The position of `bytes` in the file. */
  private base = 0;
  private at = 0;
  private expect: Expect = 'outermost';
  private isBare = false;
  private key = '';
  private list = '';
  /** Index of the next element of the list. */
  private index = 0;
  /** Start of the current value or element; -1: none. */
  private valueStart = -1;
  private depth = 0;
  private inString = false;
  /** Begin and end of the elements that wait to be parsed. */
  private batch: number[] = [];
  private stopped: ScanEnd | undefined;
  private readonly decoder = new TextDecoder();

  constructor(private readonly sink: ScanSink) {}

  /** False: nothing more of this file will be read, `end()` says why. */
  push(chunk: Uint8Array): boolean {
    if (this.stopped) return false;
    this.append(chunk);
    while (this.at < this.bytes.length && !this.stopped) {
      if (this.valueStart < 0) this.between();
      else if (!this.toEndOfValue()) break;
    }
    this.parseBatch();
    const pendingBytes = this.valueStart < 0 ? 0 : this.bytes.length - this.valueStart;
    if (pendingBytes > MOST_ELEMENT_BYTES) {
      this.stopped ??= { how: 'too-long', byte: this.base + this.valueStart, mostBytes: MOST_ELEMENT_BYTES };
    }
    return this.stopped === undefined;
  }

  end(): ScanEnd {
    if (this.stopped) return this.stopped;
    if (this.expect === 'nothing') return { how: 'whole' };
    if (this.valueStart >= 0) {
      // A number at the very end of a file may have been cut off.
      const byte = this.base + this.valueStart;
      return this.list === '' ? { how: 'cut' } : { how: 'cut', list: this.list, inside: { index: this.index, byte } };
    }
    // The Trace Event Format lets the "]" of a bare array be missing.
    if (this.isBare && this.list !== '') return { how: 'whole' };
    return this.list === '' ? { how: 'cut' } : { how: 'cut', list: this.list };
  }

  /** Drops the bytes already read and adds the chunk. */
  private append(chunk: Uint8Array): void {
    const keepFrom = this.valueStart < 0 ? Math.min(this.at, this.bytes.length) : this.valueStart;
    const rest = this.bytes.subarray(keepFrom);
    if (rest.length === 0) this.bytes = chunk;
    else {
      const joined = new Uint8Array(rest.length + chunk.length);
      joined.set(rest);
      joined.set(chunk, rest.length);
      this.bytes = joined;
    }
    this.base += keepFrom;
    this.at -= keepFrom;
    if (this.valueStart >= 0) this.valueStart -= keepFrom;
  }

  /** One byte outside of values. */
  private between(): void {
    const byte = this.bytes[this.at];
    if (byte === undefined || isSpace(byte)) {
      this.at++;
      return;
    }
    switch (this.expect) {
      case 'outermost':
        if (this.isByteOrderMark(byte)) this.at++;
        else if (byte === OPEN) this.take('key');
        else if (byte === OPEN_LIST) {
          this.isBare = true;
          this.openList(this.sink.lists[0] ?? '');
        } else this.malformed('"{" or "["');
        return;
      case 'key':
        if (byte === QUOTE) this.beginValue();
        else if (byte === CLOSE) this.take('nothing');
        else if (byte === COMMA) this.at++;
        else this.malformed('a key in quotes');
        return;
      case 'colon':
        if (byte === COLON) this.take('value');
        else this.malformed('":"');
        return;
      case 'value':
        if (byte === OPEN_LIST && this.sink.lists.includes(this.key)) {
          this.openList(this.key);
        } else this.beginValue();
        return;
      case 'after-value':
        if (byte === COMMA) this.take('key');
        else if (byte === CLOSE) this.take('nothing');
        else this.malformed('"," or "}"');
        return;
      case 'element':
        if (byte === CLOSE_LIST) this.closeList();
        else if (byte === COMMA) this.at++;
        else this.beginValue();
        return;
      case 'after-element':
        if (byte === COMMA) this.take('element');
        else if (byte === CLOSE_LIST) this.closeList();
        else this.malformed('"," or "]"');
        return;
      case 'nothing':
        this.malformed('the end of the file');
    }
  }

  private isByteOrderMark(byte: number): boolean {
    const index = this.base + this.at;
    return (index === 0 && byte === 0xef) || (index === 1 && byte === 0xbb) || (index === 2 && byte === 0xbf);
  }

  private take(expect: Expect): void {
    this.expect = expect;
    this.at++;
  }

  private openList(list: string): void {
    this.list = list;
    this.index = 0;
    this.sink.begin(list);
    this.take('element');
  }

  private closeList(): void {
    this.parseBatch();
    this.list = '';
    this.take(this.isBare ? 'nothing' : 'after-value');
  }

  private malformed(expected: string): void {
    this.parseBatch();
    this.stopped = { how: 'malformed', byte: this.base + this.at, expected };
  }

  private beginValue(): void {
    this.valueStart = this.at;
    this.depth = 0;
    this.inString = false;
  }

  /** False: the value continues in the next chunk. */
  private toEndOfValue(): boolean {
    const { bytes } = this;
    const { length } = bytes;
    let { at, depth, inString } = this;
    let isDone = false;
    while (at < length) {
      const byte = bytes[at] ?? 0;
      if (inString) {
        if (byte === BACKSLASH) at += 2;
        else {
          at++;
          if (byte === QUOTE) {
            inString = false;
            if (depth === 0) {
              isDone = true;
              break;
            }
          }
        }
        continue;
      }
      if (byte === QUOTE) {
        inString = true;
        at++;
      } else if (byte === OPEN || byte === OPEN_LIST) {
        depth++;
        at++;
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        // A bare number or word has ended before this bracket, which does not belong to it.
        if (depth > 0) {
          depth--;
          at++;
        }
        if (depth === 0) {
          isDone = true;
          break;
        }
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) {
        isDone = true;
        break;
      } else at++;
    }
    this.at = at;
    this.depth = depth;
    this.inString = inString;
    if (isDone) this.finishValue();
    return isDone;
  }

  private finishValue(): void {
    const start = this.valueStart;
    if (this.list !== '') {
      if (this.at === start) this.at++;
      this.batch.push(start, this.at);
      this.valueStart = -1;
      this.expect = 'after-element';
      this.index++;
      if (this.batch.length >= 2 * BATCH) this.parseBatch();
      return;
    }
    const text = this.decoder.decode(this.bytes.subarray(start, this.at));
    this.valueStart = -1;
    if (this.expect === 'key') {
      this.key = text.slice(1, -1);
      this.expect = 'colon';
      return;
    }
    this.expect = 'after-value';
    this.sink.field(this.key, text, this.base + start);
  }

  /** Parses the waiting elements before their bytes are dropped, together if possible. */
  private parseBatch(): void {
    const { batch } = this;
    if (batch.length === 0) return;
    this.batch = [];
    const first = this.index - batch.length / 2;
    const [from = 0] = batch;
    const to = batch[batch.length - 1] ?? from;
    const byteOf = (k: number): number => this.base + (batch[2 * k] ?? 0);
    try {
      const values: unknown = JSON.parse(`[${this.decoder.decode(this.bytes.subarray(from, to))}]`);
      if (Array.isArray(values) && values.length === batch.length / 2) {
        for (const [k, value] of values.entries()) this.sink.element(this.list, value, first + k, byteOf(k));
        return;
      }
    } catch {
      // One of them is invalid, so parse each by itself.
    }
    for (let k = 0; 2 * k < batch.length; k++) {
      const text = this.decoder.decode(this.bytes.subarray(batch[2 * k], batch[2 * k + 1]));
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        this.sink.bad(this.list, first + k, byteOf(k), error instanceof Error ? error.message : String(error));
        continue;
      }
      this.sink.element(this.list, value, first + k, byteOf(k));
    }
  }
}
