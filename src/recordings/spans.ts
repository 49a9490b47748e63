/**
 * The spans of a lane as columns of numbers, because a trace of 100 MB has half a million spans; the kinds of spans;
 * and reading a row. `traces/column-builder.ts` makes the columns.
 */

/**
 * What a span is, decided by the reader from category, name and lane:
 * operator: a CPU operator (aten::addmm). kernel: computes on a GPU. copy: memcpy and memset on a GPU.
 * collective: moves data between ranks. launch: hands work to a GPU or to a process group (cudaLaunchKernel,
 * c10d::allreduce_, record_param_comms). loader: fetches the batch. step: ProfilerStep#N. annotation: record_function,
 * names of parts, brackets around others. python: a frame of the Python stack. other: whatever is left.
 */
export const SPAN_KINDS = [
  'operator',
  'kernel',
  'copy',
  'collective',
  'launch',
  'loader',
  'step',
  'annotation',
  'python',
  'other',
] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/**
 * The spans of a lane as columns, in order of start (of equal starts the longer one first). Row i of every column is
 * span i; `name`, `shapes` and `detail` are indices into the rank's `strings`, whose entry 0 is ''. `spanAt()` makes an
 * object of a row.
 */
export interface SpanColumns {
  readonly count: number;
  readonly startUs: Float64Array;
  readonly durUs: Float64Array;
  readonly name: Uint32Array;
  /** Index into SPAN_KINDS. */
  readonly kind: Uint8Array;
  /** The number of the lane's spans that enclose this span, which is its row if drawn nested. */
  readonly depth: Uint16Array;
  /** The input shapes as in the file, "[[32,64],[64,256]]"; '' if none. */
  readonly shapes: Uint32Array;
  /** One line with other information, such as stack, phase or stream; '' if none. */
  readonly detail: Uint32Array;
}

export interface RecordedSpan {
  readonly name: string;
  readonly startUs: number;
  readonly durUs: number;
  readonly kind: SpanKind;
  readonly depth: number;
  readonly shapes: string;
  readonly detail: string;
}

/** The index of the first span that begins at this time or later. */
export function firstFrom({ startUs, count }: SpanColumns, us: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((startUs[middle] ?? 0) < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Row `index` of a lane as an object; the rank of the lane has the strings. */
export function spanAt(
  { strings }: { readonly strings: readonly string[] },
  { spans }: { readonly spans: SpanColumns },
  index: number,
): RecordedSpan {
  const text = (column: Uint32Array): string => strings[column[index] ?? 0] ?? '';
  return {
    name: text(spans.name),
    startUs: spans.startUs[index] ?? Number.NaN,
    durUs: spans.durUs[index] ?? Number.NaN,
    kind: SPAN_KINDS[spans.kind[index] ?? SPAN_KINDS.length - 1] ?? 'other',
    depth: spans.depth[index] ?? 0,
    shapes: text(spans.shapes),
    detail: text(spans.detail),
  };
}
