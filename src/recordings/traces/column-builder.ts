/** Columns of spans that grow while a file is read; `finish()` orders them and says how they nest. */
import type { SpanColumns } from '../spans';

/** A span as the readers hand it over; texts are indices into the rank's strings. */
export interface RawSpan {
  readonly startUs: number;
  readonly durUs: number;
  readonly name: number;
  readonly kind: number;
  readonly shapes: number;
  readonly detail: number;
}

export class ColumnBuilder {
  private room = 64;
  count = 0;
  startUs = new Float64Array(this.room);
  durUs = new Float64Array(this.room);
  name = new Uint32Array(this.room);
  kind = new Uint8Array(this.room);
  shapes = new Uint32Array(this.room);
  detail = new Uint32Array(this.room);

  /** Adds a span; returns its position, which is valid until `finish()`. */
  add(span: RawSpan): number {
    if (this.count === this.room) this.grow();
    const index = this.count++;
    this.startUs[index] = span.startUs;
    this.durUs[index] = span.durUs;
    this.name[index] = span.name;
    this.kind[index] = span.kind;
    this.shapes[index] = span.shapes;
    this.detail[index] = span.detail;
    return index;
  }

  private grow(): void {
    this.room *= 2;
    this.startUs = larger(this.startUs, new Float64Array(this.room));
    this.durUs = larger(this.durUs, new Float64Array(this.room));
    this.name = larger(this.name, new Uint32Array(this.room));
    this.kind = larger(this.kind, new Uint8Array(this.room));
    this.shapes = larger(this.shapes, new Uint32Array(this.room));
    this.detail = larger(this.detail, new Uint32Array(this.room));
  }
}

function larger<T extends Float64Array | Uint32Array | Uint8Array>(old: T, wider: T): T {
  wider.set(old);
  return wider;
}

export interface Finished {
  readonly spans: SpanColumns;
  readonly rows: number;
  /** positions[k]: the new position of the k-th added span. */
  readonly positions: Uint32Array;
}

/** Sorts the spans by start (if equal, longer first) and subtracts `originUs` from all times. */
export function finish(columns: ColumnBuilder, originUs: number): Finished {
  const { count, startUs, durUs } = columns;
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  order.sort((a, b) => {
    const byStart = (startUs[a] ?? 0) - (startUs[b] ?? 0);
    return byStart !== 0 ? byStart : (durUs[b] ?? 0) - (durUs[a] ?? 0) || a - b;
  });
  const positions = new Uint32Array(count);
  for (let k = 0; k < count; k++) positions[order[k] ?? 0] = k;
  const start = Float64Array.from(order, (k) => (startUs[k] ?? 0) - originUs);
  const dur = Float64Array.from(order, (k) => durUs[k] ?? 0);
  const { depth, rows } = rowsOf(start, dur);
  const pick = (column: Uint32Array): Uint32Array => Uint32Array.from(order, (k) => column[k] ?? 0);
  const kind = Uint8Array.from(order, (k) => columns.kind[k] ?? 0);
  const texts = { name: pick(columns.name), shapes: pick(columns.shapes), detail: pick(columns.detail) };
  return { spans: { count, startUs: start, durUs: dur, kind, depth, ...texts }, rows, positions };
}

/** Kineto rounds to nanoseconds and stretches annotations of GPUs by two of them: so much is not an overlap. */
const TOUCH_US = 0.003;
/** More are not told apart by eye, and finding a free row would take as long as there are rows. */
const MOST_ROWS = 1000;

/**
 * Places each span below all spans that enclose it, and not on a row with a span that merely overlaps it: on the
 * topmost free row.
 */
function rowsOf(start: Float64Array, dur: Float64Array): { readonly depth: Uint16Array; readonly rows: number } {
  const depth = new Uint16Array(start.length);
  /** When the last span of each row ends. */
  const ends: number[] = [];
  for (let k = 0; k < start.length; k++) {
    const from = (start[k] ?? 0) + TOUCH_US;
    const to = (start[k] ?? 0) + (dur[k] ?? 0) - TOUCH_US;
    while (ends.length > 0 && (ends[ends.length - 1] ?? 0) <= from) ends.pop();
    let row = 0;
    for (let above = ends.length - 1; above >= 0; above--) {
      const end = ends[above] ?? 0;
      if (end > from && end >= to) {
        row = above + 1;
        break;
      }
    }
    while (row < ends.length && (ends[row] ?? 0) > from) row++;
    row = Math.min(row, MOST_ROWS - 1);
    ends[row] = to + TOUCH_US;
    depth[k] = row;
  }
  return { depth, rows: depth.reduce((most, row) => Math.max(most, row + 1), 0) };
}
