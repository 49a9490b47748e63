/**
 * The content of a trace's lanes on one clock, computed once: kernels in runs of one phase, communication in runs of
 * one bucket or move, divided into hidden and exposed parts, and the idle stretches. Times only, no pixels. Pure.
 */
import type { Clock, DeviceIndex, Payload, StepTrace, TraceEvent } from '../../protocol/trace';
import { createIdleTimes } from '../../trace/idle';
import { type Interval, intersect, joined, without } from '../../trace/intervals';
import { totalUs } from '../../trace/lanes';
import { eventLabels } from '../lanes/event-label';
import { type Gap, gapsOf } from '../lanes/gaps';

export interface LanePiece extends Interval {
  /** Index into trace.events. */
  readonly event: number;
  /** Longest first. */
  readonly labels: readonly string[];
}

/** Neighbouring pieces that belong together and share a label if they are too narrow for one each. */
export interface Run extends Interval {
  readonly of: TraceEvent;
  readonly labels: readonly string[];
  readonly pieces: readonly LanePiece[];
}

export interface CommRun extends Run {
  /** The parts hidden behind computation of the same device, and the exposed parts. */
  readonly hidden: readonly Interval[];
  readonly exposed: readonly Interval[];
}

/** A pause in which a collective that has begun waits for a message while the device computes. */
export interface CommWait extends Interval {
  readonly device: DeviceIndex;
  /** The event with which the collective continues. */
  readonly next: number;
}

export interface DeviceLanes {
  readonly device: DeviceIndex;
  readonly compute: readonly Run[];
  readonly comm: readonly CommRun[];
  readonly waits: readonly CommWait[];
  readonly gaps: readonly Gap[];
}

export interface LaneParts {
  /** The spans of all events, by index. */
  readonly spans: readonly Interval[];
  readonly totalUs: number;
  readonly devices: readonly DeviceLanes[];
}

const PHASE_LABELS: Readonly<Record<TraceEvent['phase'], readonly string[]>> = {
  broadcast: ['broadcast'],
  data: ['load'],
  scatter: ['scatter'],
  replicate: ['replicate'],
  forward: ['forward'],
  gather: ['gather'],
  loss: ['loss'],
  backward: ['backward'],
  reduce: ['reduce'],
  step: ['step'],
};

const PAYLOAD_LABELS: Readonly<Record<Payload, readonly string[]>> = {
  data: ['batch'],
  activation: ['activation'],
  gradient: ['gradient', 'grad'],
  parameter: ['parameter'],
};

/** Groups consecutive pieces with the same key, without a pause between them, into runs. */
function runsOf(
  trace: StepTrace,
  pieces: readonly LanePiece[],
  keyOf: (e: TraceEvent) => string,
  labelsOf: (e: TraceEvent) => readonly string[],
): readonly Run[] {
  const runs: {
    startUs: number;
    endUs: number;
    readonly key: string;
    readonly of: TraceEvent;
    readonly pieces: LanePiece[];
  }[] = [];
  for (const piece of pieces) {
    const of = trace.events[piece.event];
    if (!of) continue;
    const last = runs.at(-1);
    const joins = last && last.key === keyOf(of) && piece.startUs <= last.endUs + 1e-6;
    if (joins) {
      last.endUs = Math.max(last.endUs, piece.endUs);
      last.pieces.push(piece);
    } else runs.push({ startUs: piece.startUs, endUs: piece.endUs, key: keyOf(of), of, pieces: [piece] });
  }
  return runs.map(({ startUs, endUs, of, pieces: own }) => ({ startUs, endUs, of, pieces: own, labels: labelsOf(of) }));
}

function commLabels(e: TraceEvent): readonly string[] {
  if (e.bucket !== undefined) return [`bucket ${e.bucket}`, `${e.bucket}`];
  if (e.collective) return [e.phase === 'backward' ? 'scatter gradients' : e.phase, e.phase];
  return e.payload ? PAYLOAD_LABELS[e.payload] : [e.phase];
}

const collectiveOf = (e: TraceEvent | undefined): string | undefined =>
  e?.collective && `${e.collective.seq} ${e.phase} ${e.bucket}`;

function commWaits(
  { events }: StepTrace,
  device: DeviceIndex,
  pieces: readonly LanePiece[],
  busy: readonly Interval[],
): readonly CommWait[] {
  return pieces.flatMap((piece, k): CommWait[] => {
    const before = pieces[k - 1];
    const collective = collectiveOf(events[piece.event]);
    if (!before || collective === undefined || collectiveOf(events[before.event]) !== collective) return [];
    const wait = { startUs: before.endUs, endUs: piece.startUs };
    return wait.endUs - wait.startUs > 1e-6 && intersect([wait], busy).length > 0
      ? [{ ...wait, device, next: piece.event }]
      : [];
  });
}

export function lanePartsOf(trace: StepTrace, clock: Clock, devices: number): LaneParts {
  const times = createIdleTimes(trace, clock);
  const { spans } = times;
  const piecesOf = (device: DeviceIndex, queue: TraceEvent['queue']): readonly LanePiece[] =>
    times
      .eventsOf(device)
      .flatMap((event): LanePiece[] => {
        const [e, span] = [trace.events[event], spans[event]];
        return e && span && e.queue === queue ? [{ ...span, event, labels: eventLabels(e) }] : [];
      })
      .sort((a, b) => a.startUs - b.startUs || a.event - b.event);
  return {
    spans,
    totalUs: totalUs(trace, clock),
    devices: Array.from({ length: devices }, (_, device): DeviceLanes => {
      const computing = piecesOf(device, 'compute');
      const busy = joined(computing.map(({ startUs, endUs }) => ({ startUs, endUs })));
      const messages = piecesOf(device, 'comm');
      const comm = runsOf(trace, messages, (e) => `${e.bucket} ${e.phase} ${e.payload}`, commLabels);
      return {
        device,
        compute: runsOf(
          trace,
          computing,
          (e) => e.phase,
          (e) => PHASE_LABELS[e.phase],
        ),
        comm: comm.map((run) => {
          const hidden = intersect([run], busy);
          return { ...run, hidden, exposed: without(run, hidden) };
        }),
        waits: commWaits(trace, device, messages, busy),
        gaps: gapsOf(trace, clock, device, times),
      };
    }),
  };
}
