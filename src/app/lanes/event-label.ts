/**
 * Short names for events, as the timeline writes them into its spans and the stage beside its devices: 'forward of
 * layer 0', 'backward 2', 'bucket 1', in the words of the sentences. Longest first, so that a place takes the longest
 * that fits. Pure.
 */
import type { Clock, StepTrace, TraceEvent } from '../../protocol/trace';
import { bufferWords, tensorName } from '../../trace/buffer-words';
import { capital } from '../../trace/capital';
import { normWords } from '../../trace/carried';
import { spanOf } from '../../trace/lanes';
import { deviceName, moduleWords } from '../../trace/words';
import { formatTime } from '../draw/format';

function transfer(e: TraceEvent): readonly string[] {
  const chunk =
    e.collective?.chunk !== undefined && (e.collective.chunks ?? 1) > 1 ? `chunk ${e.collective.chunk}` : undefined;
  const buffer = e.slice?.buffer ?? '';
  const what = chunk ?? (normWords(buffer) ? 'grad norm' : bufferWords(buffer));
  const verb = e.kind === 'send' ? 'send' : e.apply === 'add' ? 'add' : 'receive';
  const short = e.action && !e.collective ? `micro-batch ${e.action.microBatch}` : tensorName(buffer);
  return [`${verb} ${what}`, e.bucket === undefined ? what : `bucket ${e.bucket}`, chunk ?? short, verb];
}

function compute(e: TraceEvent): readonly string[] {
  if (e.name === 'ddp/pack') return [`filling bucket ${e.bucket ?? 0}`, `bucket ${e.bucket ?? 0}`];
  if (e.name === 'ddp/unpack') return [`bucket ${e.bucket ?? 0} back into .grad`, `bucket ${e.bucket ?? 0}`];
  if (e.name === 'comm/flatten') return [`flatten ${e.reads.length} tensors`, 'flatten', 'flat'];
  if (e.name === 'comm/unflatten') return [`views of ${e.writes.length} tensors`, 'views'];
  if (e.name === 'optim/grad-norm') return ['grad norm', 'norm'];
  if (e.name === 'optim/clip-grad-norm' || e.name === 'optim/clip-grad-value') return ['clip'];
  switch (e.phase) {
    case 'forward':
    case 'backward':
      return work(e.phase, e.module);
    case 'step':
      return ['optimizer.step()', 'step'];
    default:
      return [e.phase];
  }
}

/** Names for work of a layer, down to its number alone; for the loss and sums, which belong to no layer, the phase. */
function work(phase: 'forward' | 'backward', module: string): readonly string[] {
  if (module === '') return phase === 'backward' ? ['backward of the loss', 'backward'] : ['forward'];
  return [`${phase} of ${moduleWords(module)}`, `${phase} ${module}`, module];
}

export function eventLabels(e: TraceEvent): readonly string[] {
  switch (e.kind) {
    case 'send':
    case 'recv':
      return transfer(e);
    case 'load':
      return [loadWords(e), 'load'];
    case 'wait':
      return ['wait'];
    default:
      return compute(e);
  }
}

function loadWords({ phase, writes }: TraceEvent): string {
  if (phase === 'step') return 'load learning rate';
  const buffer = writes[0] ?? '';
  if (/^(stage\d+\.)?bucket\d+\.q$/.test(buffer)) return 'draw Q';
  if (buffer === 'y') return 'load targets';
  return buffer === 'x' || buffer === 'batch' ? 'load samples' : 'draw a mask';
}

/** The name of an event in a sentence and in a device's room: 'backward of layer 2', 'loading samples'. */
export function eventName(e: TraceEvent): string {
  const label = eventLabels(e)[0] ?? e.name;
  if (e.kind === 'load') return label.replace('load ', 'loading ').replace('draw ', 'drawing ');
  return e.kind === 'compute' && e.phase === 'step' && label !== 'optimizer.step()' ? 'clipping gradients' : label;
}

/** Shorter and shorter forms of the name, longest first, with the label last. */
export function namesOf(e: TraceEvent): readonly string[] {
  const name = eventName(e);
  const short = e.kind === 'compute' ? name.replace(' of layer', '').replace(' of the', '') : name;
  return [
    ...new Set([
      name,
      short,
      /^(forward|backward|loading|drawing|filling)\b/.exec(name)?.[0] ?? name,
      ...eventLabels(e),
    ]),
  ];
}

/** 'backward of layer 2 on rank 1'. */
const placed = (trace: StepTrace, e: TraceEvent): string => `${eventName(e)} on ${deviceName(trace, e.device)}`;

/** One line for a tooltip. */
export const eventTitle = (trace: StepTrace, e: TraceEvent): string => capital(placed(trace, e));

/** Where the cursor is, for assistive tools. */
export function cursorText(trace: StepTrace, clock: Clock, event: number): string {
  const e = trace.events[event];
  if (!e) return `before the first of ${trace.events.length} events`;
  return `event ${event + 1} of ${trace.events.length}: ${placed(trace, e)}, at ${formatTime(spanOf(trace, clock, event).startUs)}`;
}
