/**
 * What stands in the buffers at a cursor: the initial contents of the step with the captures of events[0..cursor] laid over them. The stage
 * draws weights, gradients and chunk tiles from it. Values are those that the run read back, as far as it captured them (CAPTURE_LIMIT).
 */
import type { Captured, DeviceIndex, StepTrace } from '../protocol/trace';

export interface BufferContents {
  /** From element 0 on. The array changes with the cursor: copy it to keep it. */
  readonly values: Float32Array;
  /** Index of the event that wrote last; undefined when the values are from before the step. */
  readonly event: number | undefined;
}

interface Cell {
  values: Float32Array;
  event: number | undefined;
}

/** Back-seeks restart from the nearest of these, so that scrubbing costs at most that many events. */
const KEYFRAME_EVERY = 128;

/** The contents at a cursor that moves: forward it applies what came in between, back it restarts at a kept state. */
export class ContentsCursor {
  private cells: Map<string, Cell>;
  private position = -1;
  private readonly keyframes: Map<string, Cell>[] = [];

  constructor(readonly trace: StepTrace) {
    this.cells = new Map();
    for (const { device, captured } of trace.initial) for (const c of captured) this.write(device, c, undefined);
    this.keyframes.push(copyOf(this.cells));
  }

  /** Index of the last event whose captures are in; -1 before the first. */
  get index(): number {
    return this.position;
  }

  /** Clamped to the events of the trace. */
  seek(index: number): this {
    const goal = Math.max(-1, Math.min(index, this.trace.events.length - 1));
    if (goal < this.position) {
      const frame = Math.min(Math.floor((goal + 1) / KEYFRAME_EVERY), this.keyframes.length - 1);
      this.cells = copyOf(this.keyframes[frame] ?? new Map());
      this.position = frame * KEYFRAME_EVERY - 1;
    }
    while (this.position < goal) this.advance();
    return this;
  }

  /** Undefined when the buffer has not been written yet, and was not there at the start. */
  buffer(device: DeviceIndex, name: string): BufferContents | undefined {
    return this.cells.get(keyOf(device, name));
  }

  private advance(): void {
    this.position++;
    const event = this.trace.events[this.position];
    if (event) for (const c of event.captured) this.write(event.device, c, this.position);
    const frame = (this.position + 1) / KEYFRAME_EVERY;
    if (Number.isInteger(frame) && frame === this.keyframes.length) this.keyframes.push(copyOf(this.cells));
  }

  private write(device: DeviceIndex, { buffer, offset, values }: Captured, event: number | undefined): void {
    const key = keyOf(device, buffer);
    const old = this.cells.get(key);
    const length = offset + values.length;
    const cell = old ?? { values: new Float32Array(length), event };
    if (cell.values.length < length) {
      const grown = new Float32Array(length);
      grown.set(cell.values);
      cell.values = grown;
    }
    cell.values.set(values, offset);
    cell.event = event;
    if (!old) this.cells.set(key, cell);
  }
}

const keyOf = (device: DeviceIndex, buffer: string): string => `${device} ${buffer}`;

const copyOf = (cells: ReadonlyMap<string, Cell>): Map<string, Cell> =>
  new Map([...cells].map(([key, { values, event }]) => [key, { values: values.slice(), event }]));

/** Contents after events[0..index]; for one look. To scrub, keep a ContentsCursor. */
export function contentsAt(trace: StepTrace, index: number): ContentsCursor {
  return new ContentsCursor(trace).seek(index);
}
