/**
 * Reads Python pickles of plain values: dict, list, tuple, str, bytes, int, float, bool, None, in protocols 2 to 5 (the
 * flight recorder's C++ writes 2). A pickle is a program for a small virtual machine, and Python's imports and calls
 * the names in it: this reader refuses all instructions that name or call anything. Called by `read-flight.ts`.
 */
import { LockstepError } from '../../base/errors';
import { tooMuchOf } from '../../base/reading-bounds';

/** A dict becomes a Map, an int that does not fit into a double a bigint, a tuple a list. */
export type PickleValue = null | boolean | number | bigint | string | Uint8Array | PickleValue[] | PickleDict;
export type PickleDict = Map<PickleValue, PickleValue>;

const MARK = Symbol('mark');
type Item = PickleValue | typeof MARK;

/** Instructions that make something other than plain values, by their names in Python's pickletools. */
const REFUSED: ReadonlyMap<number, string> = new Map([
  [0x52, 'REDUCE'],
  [0x62, 'BUILD'],
  [0x6f, 'OBJ'],
  [0x81, 'NEWOBJ'],
  [0x92, 'NEWOBJ_EX'],
  [0x50, 'PERSID'],
  [0x51, 'BINPERSID'],
  [0x82, 'EXT1'],
  [0x83, 'EXT2'],
  [0x84, 'EXT4'],
]);

export const isPickle = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x80 && (bytes[1] ?? 0) >= 2 && (bytes[1] ?? 0) <= 5;

/** Throws a LockstepError of code 'data' that names the byte. */
export function readPickle(bytes: Uint8Array, file: string): PickleValue {
  const value = new PickleMachine(bytes, file).run();
  // A further reference to a list takes only two bytes, but readers go through the list each time.
  const tooMuch = tooMuchOf(value, bytes.length);
  if (tooMuch === undefined) return value;
  const hint = 'No dump of a flight recorder looks like this; the file is damaged or malicious.';
  throw new LockstepError('data', `The pickle cannot be read: ${tooMuch}.`, hint, { file });
}

class PickleMachine {
  private at = 0;
  private readonly stack: Item[] = [];
  private readonly memo = new Map<number, PickleValue>();
  private readonly view: DataView;
  private readonly text = new TextDecoder('utf-8', { fatal: false });

  constructor(
    private readonly bytes: Uint8Array,
    private readonly file: string,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): PickleValue {
    for (;;) {
      const begin = this.at;
      const code = this.byte();
      if (code === 0x2e) return this.pop();
      const value = this.made(code, begin);
      if (value === undefined) this.act(code, begin);
      else this.stack.push(value);
    }
  }

  /** The value that the instruction creates; undefined if it creates none. */
  private made(code: number, begin: number): PickleValue | undefined {
    switch (code) {
      case 0x4e: // NONE
        return null;
      case 0x88:
        return true;
      case 0x89:
        return false;
      case 0x4a: // BININT
        return this.view.getInt32(this.skip(4), true);
      case 0x4b:
        return this.byte();
      case 0x4d: // BININT2
        return this.view.getUint16(this.skip(2), true);
      case 0x8a: // LONG1
        return this.long(this.byte());
      case 0x8b: // LONG4
        return this.long(this.length(4));
      case 0x47: // BINFLOAT
        return this.view.getFloat64(this.skip(8), false);
      case 0x58:
      case 0x54: // BINUNICODE, BINSTRING
        return this.string(this.length(4));
      case 0x8c:
      case 0x55: // SHORT_BINUNICODE, SHORT_BINSTRING
        return this.string(this.byte());
      case 0x8d: // BINUNICODE8
        return this.string(this.length(8));
      case 0x43: // SHORT_BINBYTES
        return this.raw(this.byte());
      case 0x42:
        return this.raw(this.length(4));
      case 0x8e:
        return this.raw(this.length(8));
      case 0x5d:
      case 0x29: // EMPTY_LIST, EMPTY_TUPLE
        return [];
      case 0x7d: // EMPTY_DICT
        return new Map();
      case 0x85:
      case 0x86:
      case 0x87: // TUPLE1, TUPLE2, TUPLE3
        return this.take(code - 0x84);
      case 0x74:
      case 0x6c: // TUPLE, LIST
        return this.sinceMark(begin);
      case 0x64: // DICT
        return this.fill(new Map(), this.sinceMark(begin), begin);
      case 0x68: // BINGET
        return this.recall(this.byte(), begin);
      case 0x6a: // LONG_BINGET
        return this.recall(this.length(4), begin);
      case 0x32: // DUP
        return this.top();
      default:
        return undefined;
    }
  }

  private act(code: number, begin: number): void {
    switch (code) {
      case 0x80: // PROTO
        if (this.byte() > 5) this.fail(begin, 'has a protocol above 5');
        break;
      case 0x95: // FRAME
        this.skip(8);
        break;
      case 0x28:
        this.stack.push(MARK);
        break;
      case 0x30: // POP
        if (this.stack.pop() === undefined) this.fail(begin, 'pops from an empty stack');
        break;
      case 0x31: // POP_MARK
        this.sinceMark(begin);
        break;
      case 0x61: // APPEND
        this.append(this.take(1), begin);
        break;
      case 0x65: // APPENDS
        this.append(this.sinceMark(begin), begin);
        break;
      case 0x73: // SETITEM
        this.set(this.take(2), begin);
        break;
      case 0x75: // SETITEMS
        this.set(this.sinceMark(begin), begin);
        break;
      case 0x71: // BINPUT
        this.memo.set(this.byte(), this.top());
        break;
      case 0x72: // LONG_BINPUT
        this.memo.set(this.length(4), this.top());
        break;
      case 0x94: // MEMOIZE
        this.memo.set(this.memo.size, this.top());
        break;
      default:
        this.refuse(code, begin);
    }
  }

  private refuse(code: number, begin: number): never {
    if (code === 0x63 || code === 0x69) {
      const name = `${this.line()}.${this.line()}`;
      return this.refused(begin, `asks for ${name} (${code === 0x63 ? 'GLOBAL' : 'INST'})`);
    }
    if (code === 0x93) {
      const [module, name] = this.take(2);
      return this.refused(begin, `asks for ${String(module)}.${String(name)} (STACK_GLOBAL)`);
    }
    const known = REFUSED.get(code);
    if (known !== undefined) return this.refused(begin, `makes an object (${known})`);
    return this.fail(begin, `has 0x${code.toString(16).padStart(2, '0')}, an opcode that plain values do not need,`);
  }

  private refused(at: number, what: string): never {
    throw new LockstepError(
      'data',
      `The pickle ${what} at byte ${at}, so it is refused. Python would run that code; Lockstep ran none of it.`,
      'A flight recorder dump contains only dicts, lists, texts and numbers. Do not load this file in Python.',
      { file: this.file, byte: at },
    );
  }

  private fail(at: number, what: string): never {
    const hint = 'Copy the dump again; if the process was killed while torch wrote the dump, the file may be cut off.';
    throw new LockstepError('data', `The pickle ${what} at byte ${at}.`, hint, { file: this.file, byte: at });
  }

  private pop(): PickleValue {
    const item = this.stack.pop();
    if (item === undefined || item === MARK) return this.fail(this.at - 1, 'pops from an empty stack');
    return item;
  }

  private top(): PickleValue {
    const item = this.stack.at(-1);
    if (item === undefined || item === MARK) return this.fail(this.at - 1, 'pops from an empty stack');
    return item;
  }

  private take(count: number): PickleValue[] {
    const taken = Array.from({ length: count }, () => this.pop());
    return taken.reverse();
  }

  private sinceMark(begin: number): PickleValue[] {
    const mark = this.stack.lastIndexOf(MARK);
    if (mark < 0) this.fail(begin, 'pops up to a mark that is missing');
    return this.stack.splice(mark).filter((item) => item !== MARK);
  }

  private append(items: readonly PickleValue[], begin: number): void {
    const list = this.top();
    if (!Array.isArray(list)) this.fail(begin, 'appends to something that is not a list');
    for (const item of items) list.push(item);
  }

  private set(items: readonly PickleValue[], begin: number): void {
    const dict = this.top();
    if (!(dict instanceof Map)) this.fail(begin, 'sets items of something that is not a dict');
    this.fill(dict, items, begin);
  }

  private fill(dict: PickleDict, items: readonly PickleValue[], begin: number): PickleDict {
    if (items.length % 2 === 1) this.fail(begin, 'has a key without a value');
    for (let k = 0; k + 1 < items.length; k += 2) dict.set(items[k] ?? null, items[k + 1] ?? null);
    return dict;
  }

  private recall(index: number, begin: number): PickleValue {
    const value = this.memo.get(index);
    return value === undefined ? this.fail(begin, `uses memo ${index}, which was never stored,`) : value;
  }

  private byte(): number {
    return this.bytes[this.skip(1)] ?? 0;
  }

  /** The offset of the next `count` bytes; fails if the file ends before. */
  private skip(count: number): number {
    const from = this.at;
    if (count > this.bytes.length - from) this.fail(from, 'ends before its STOP,');
    this.at += count;
    return from;
  }

  private length(size: 4 | 8): number {
    const from = this.skip(size);
    return size === 4 ? this.view.getUint32(from, true) : Number(this.view.getBigUint64(from, true));
  }

  private raw(count: number): Uint8Array {
    const from = this.skip(count);
    return this.bytes.subarray(from, from + count);
  }

  private string(count: number): string {
    return this.text.decode(this.raw(count));
  }

  private line(): string {
    const end = this.bytes.indexOf(0x0a, this.at);
    const text = this.text.decode(this.bytes.subarray(this.at, end < 0 ? this.bytes.length : end));
    this.at = end < 0 ? this.bytes.length : end + 1;
    return text;
  }

  /** Two's complement, the lowest byte first. */
  private long(count: number): number | bigint {
    if (count > 64) this.fail(this.at, 'has an integer of more than 512 bits');
    const digits = this.raw(count);
    let value = 0n;
    for (let k = count - 1; k >= 0; k--) value = (value << 8n) | BigInt(digits[k] ?? 0);
    if (count > 0 && (digits[count - 1] ?? 0) >= 0x80) value -= 1n << BigInt(8 * count);
    const small = Number(value);
    return Number.isSafeInteger(small) ? small : value;
  }
}
