/**
 * The text form of a traced step: one line per event, in the trace's order, without times or values. The same Program
 * gives the same text wherever and however fast its ranks ran, so tests can compare it.
 */
import { groupLabel } from '../protocol/mesh';
import { stepWords } from '../protocol/micro-batches';
import { kindLabel } from '../protocol/step-kind';
import type { Slice, StepTrace, TraceEvent } from '../protocol/trace';

const stretch = ({ buffer, offset, length }: Slice): string => `${buffer}[${offset}:${offset + length}]`;

function body(e: TraceEvent): string {
  const { collective: c } = e;
  const part = c
    ? `  ${c.algorithm} ${c.op}${c.part ? ` ${c.part}` : ''}${c.group ? ` in ${groupLabel(c.group)}` : ''}`
    : '';
  const round = c?.round === undefined ? '' : ` round ${c.round + 1}/${c.rounds ?? '?'}`;
  const summed = c?.summed === undefined ? '' : ` sum of ${c.summed}`;
  switch (e.kind) {
    case 'send':
      return `${e.slice ? stretch(e.slice) : '?'} -> cuda:${e.peer} ${e.payload}${part}${round}`;
    case 'recv':
      return `${e.slice ? stretch(e.slice) : '?'} <- cuda:${e.peer} ${e.payload} ${e.apply}${part}${round}${summed}`;
    case 'load':
      return `${e.writes.join(' ')} <- host`;
    default:
      return `${e.reads.join(' ')} -> ${e.writes.join(' ')}`;
  }
}

export function printEvent(e: TraceEvent): string {
  const notes = [
    e.module && `module ${e.module}`,
    e.bucket !== undefined && `bucket ${e.bucket}`,
    `line ${e.anchor}`,
    e.deps.length > 0 && `after ${e.deps.map((id) => `#${id}`).join(' ')}`,
  ].filter(Boolean);
  const head =
    `#${e.id}`.padEnd(6) + `rank ${e.rank} cuda:${e.device}`.padEnd(15) + e.queue.padEnd(8) + e.name.padEnd(22);
  return `${head} ${body(e)}  ${e.phase}, ${e.bytes} B, ${e.flops} flop (${notes.join(', ')})`;
}

export function printTrace(trace: StepTrace): string {
  const samples = trace.samples.map((ids, device) => `cuda:${device} [${ids.join(' ')}]`).join(', ');
  return [
    `${stepWords(trace.microBatch, trace)} of epoch ${trace.epoch}, program ${kindLabel(trace.kind)}; samples: ${samples}`,
    ...trace.events.map(printEvent),
  ].join('\n');
}
