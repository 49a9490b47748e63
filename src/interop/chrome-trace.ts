/**
 * Traced steps in the Trace Event Format that Perfetto and chrome://tracing open: one process per device, a thread for
 * its compute and one for its communication queue, one flow arrow per message, and a counter of live memory if the
 * buffers are known. Each file has one clock, which it names. Format: "Trace Event Format", Google, 2016. Called by the
 * command line and by the page's export.
 */
import { at } from '../base/invariant';
import type { BufferInfo, Clock, CodeLine, DeviceIndex, StepTrace, TraceEvent } from '../protocol/trace';
import { bufferWords } from '../trace/buffer-words';
import { deviceCount, endUs, spanOf, totalUs } from '../trace/lanes';
import { memoryOf, totalBytes } from '../trace/memory';
import { packetsOf } from '../trace/packets';

export interface ChromeEvent {
  readonly ph: 'M' | 'X' | 's' | 'f' | 'C';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly id?: number;
  readonly bp?: 'e';
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface ChromeTrace {
  readonly traceEvents: readonly ChromeEvent[];
  readonly displayTimeUnit: 'ns' | 'ms';
  readonly otherData: Readonly<Record<string, string>>;
}

/** Facts for the file beyond the steps, if known; SessionInfo has all three. */
export interface ChromeTraceContext {
  readonly code?: readonly CodeLine[];
  readonly buffers?: readonly BufferInfo[];
  readonly hardwareLabel?: string;
}

const TID = { compute: 0, comm: 1 } as const;
/** Perfetto stores whole nanoseconds: rounded here, adjacent slices stay adjacent there. */
const roundNs = (us: number): number => Math.round(1000 * us) / 1000;

const cuda = (device: DeviceIndex): string => `cuda:${device}`;
const THREADS = ['compute', 'communication'] as const;

export function chromeTrace(traces: readonly StepTrace[], clock: Clock, context: ChromeTraceContext = {}): ChromeTrace {
  const events: ChromeEvent[] = [...metadata(traces, clock)];
  let originUs = 0;
  let flow = 0;
  for (const trace of traces) {
    trace.events.forEach((event, index) => {
      if (event.kind === 'wait') return;
      const { startUs, durUs } = spanOf(trace, clock, index);
      const place = { pid: event.device, tid: TID[event.queue] };
      events.push({
        ph: 'X',
        name: titleOf(event),
        cat: event.phase,
        ...place,
        ts: roundNs(originUs + startUs),
        dur: roundNs(roundNs(originUs + startUs + durUs) - roundNs(originUs + startUs)),
        args: argsOf(trace, event, context),
      });
    });
    for (const packet of packetsOf(trace)) {
      flow++;
      const send = spanOf(trace, clock, packet.send);
      const recv = spanOf(trace, clock, packet.recv);
      // An arrow binds to the slice around its time, and must not point back in time.
      const leaves = send.startUs;
      const arrives = (Math.max(recv.startUs, leaves) + Math.max(endUs(recv), leaves)) / 2;
      const arrow = { name: packet.payload, cat: 'message', id: flow };
      events.push({
        ph: 's',
        ...arrow,
        pid: packet.from,
        tid: TID[at(trace.events, packet.send).queue],
        ts: roundNs(originUs + leaves),
      });
      events.push({
        ph: 'f',
        bp: 'e',
        ...arrow,
        pid: packet.to,
        tid: TID[at(trace.events, packet.recv).queue],
        ts: roundNs(originUs + arrives),
      });
    }
    if (context.buffers) events.push(...memoryCounters(trace, clock, context.buffers, originUs));
    originUs += totalUs(trace, clock);
  }
  return {
    traceEvents: events,
    displayTimeUnit: 'ns',
    otherData: {
      producer: 'Lockstep',
      clock,
      clockMeaning:
        clock === 'measured'
          ? 'time on this machine'
          : `a cost model of ${context.hardwareLabel ?? 'the chosen hardware'}; not measured`,
      steps: traces.map((t) => t.step).join(', '),
    },
  };
}

function metadata(traces: readonly StepTrace[], clock: Clock): ChromeEvent[] {
  const [first] = traces;
  if (!first) return [];
  const rankOf = new Map(first.events.map((event) => [event.device, event.rank]));
  const hasRanks = first.events.some((event) => event.rank !== 0);
  return Array.from({ length: deviceCount(first) }, (_, pid) => pid).flatMap((pid): ChromeEvent[] => {
    const name = hasRanks ? `rank ${rankOf.get(pid) ?? pid} (${cuda(pid)})` : cuda(pid);
    return [
      { ph: 'M', name: 'process_name', pid, tid: 0, args: { name } },
      { ph: 'M', name: 'process_labels', pid, tid: 0, args: { labels: `${clock} time` } },
      { ph: 'M', name: 'process_sort_index', pid, tid: 0, args: { sort_index: pid } },
      ...THREADS.flatMap((thread, tid): ChromeEvent[] => [
        { ph: 'M', name: 'thread_name', pid, tid, args: { name: thread } },
        { ph: 'M', name: 'thread_sort_index', pid, tid, args: { sort_index: tid } },
      ]),
    ];
  });
}

function titleOf(event: TraceEvent): string {
  if (event.kind === 'send') return `send to ${cuda(event.peer ?? 0)}`;
  if (event.kind === 'recv') return `recv from ${cuda(event.peer ?? 0)}`;
  return event.module ? `${event.name} (${event.module})` : event.name;
}

function argsOf(trace: StepTrace, event: TraceEvent, { code }: ChromeTraceContext): Record<string, unknown> {
  const { collective } = event;
  const fields = {
    step: trace.step,
    rank: event.rank,
    phase: event.phase,
    kernel: event.kind === 'compute' ? event.name : undefined,
    module: event.module || undefined,
    bytes: event.bytes,
    flops: event.flops || undefined,
    bucket: event.bucket,
    collective: collective?.op,
    algorithm: collective?.algorithm,
    part: collective?.part,
    chunk: collective?.chunk,
    round: collective?.round,
    payload: event.payload,
    buffer: event.slice && bufferWords(event.slice.buffer),
    pytorch: code?.find((line) => line.anchor === event.anchor)?.text.trim() ?? event.anchor,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function memoryCounters(
  trace: StepTrace,
  clock: Clock,
  buffers: readonly BufferInfo[],
  originUs: number,
): ChromeEvent[] {
  const memory = memoryOf(trace, buffers);
  return trace.events.flatMap((event, index): ChromeEvent[] => {
    if (event.kind === 'wait') return [];
    const ts = originUs + spanOf(trace, clock, index).startUs;
    const live = totalBytes(memory.at(event.device, index));
    return [{ ph: 'C', name: 'memory (bytes)', pid: event.device, tid: 0, ts, args: { live } }];
  });
}
