/**
 * Short names for events, as the timeline writes them into its spans and the stage beside its devices: 'fwd 0', 'bwd
 * 2', 'bucket 1', 'step'. Longest first, so that a place takes the longest that fits. Pure.
 */
import type { Clock, StepTrace, TraceEvent } from '../../protocol/trace';
import { normWords } from '../../trace/carried';
import { spanOf } from '../../trace/lanes';
import { moduleWords } from '../../trace/words';
import { formatTime } from '../draw/format';

function transfer(e: TraceEvent): readonly string[] {
  const chunk =
    e.collective?.chunk !== undefined && (e.collective.chunks ?? 1) > 1 ? `chunk ${e.collective.chunk}` : undefined;
  const buffer = e.slice?.buffer ?? 'slice';
  const what = chunk ?? (normWords(buffer) ? 'grad norm' : buffer);
  const verb = e.kind === 'send' ? 'send' : e.apply === 'add' ? 'add' : 'recv';
  return [
    `${verb} ${what}`,
    e.bucket === undefined ? what : `bucket ${e.bucket}`,
    e.bucket === undefined ? verb : `b${e.bucket}`,
  ];
}

function compute(e: TraceEvent): readonly string[] {
  if (e.name === 'ddp/pack') return [`pack bucket ${e.bucket ?? 0}`, `pack ${e.bucket ?? 0}`, 'pack'];
  if (e.name === 'ddp/unpack') return [`unpack bucket ${e.bucket ?? 0}`, `unpack ${e.bucket ?? 0}`, 'unpack'];
  if (e.name === 'comm/flatten') return [`flatten ${e.reads.length} tensors`, 'flatten', 'flat'];
  if (e.name === 'comm/unflatten') return [`views of ${e.writes.length} tensors`, 'views'];
  if (e.name === 'optim/grad-norm') return ['grad norm', 'norm'];
  if (e.name === 'optim/clip-grad-norm' || e.name === 'optim/clip-grad-value') return ['clip'];
  switch (e.phase) {
    case 'forward':
      return [`fwd ${e.module}`, e.module];
    case 'backward':
      return e.module === '' ? ['bwd loss', 'bwd'] : [`bwd ${e.module}`, e.module];
    case 'step':
      return ['step'];
    default:
      return [e.phase];
  }
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
  if (/^bucket\d+\.q$/.test(buffer)) return 'draw Q';
  if (buffer === 'y') return 'load targets';
  return buffer === 'x' || buffer === 'batch' ? 'load samples' : 'draw a mask';
}

/** What an event is called in a sentence and in a room: 'backward of layer 2', 'loading samples'. */
export function eventName(e: TraceEvent): string {
  const label = eventLabels(e)[0] ?? e.name;
  if (e.kind === 'load') return label.replace('load ', 'loading ').replace('draw ', 'drawing ');
  if (e.kind !== 'compute') return label;
  if (e.name === 'ddp/pack') return `filling bucket ${e.bucket ?? 0}`;
  if (e.name === 'ddp/unpack') return `bucket ${e.bucket ?? 0} back into .grad`;
  if (e.phase === 'step') return label === 'step' ? 'optimizer.step()' : 'clipping gradients';
  if (e.phase === 'forward' && label.startsWith('fwd')) return `forward${of(e.module)}`;
  if (e.phase === 'backward' && label.startsWith('bwd'))
    return e.module === '' ? 'backward of the loss' : `backward${of(e.module)}`;
  return label;
}

/** As much of the name as there is room for, longest first, and the label at last. */
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

const of = (module: string): string => (module === '' ? '' : ` of ${moduleWords(module)}`);

/** One line for a tooltip or a table. */
export function eventTitle(e: TraceEvent): string {
  const module = e.module === '' ? '' : ` of layer ${e.module}`;
  const name = e.kind === 'compute' ? `${e.name}${module}` : (eventLabels(e)[0] ?? e.name);
  return `${name} on cuda:${e.device}`;
}

/** Where the cursor stands, for assistive tools. */
export function cursorText(trace: StepTrace, clock: Clock, event: number): string {
  const e = trace.events[event];
  if (!e) return `before the first of ${trace.events.length} events`;
  return `event ${event + 1} of ${trace.events.length}: ${eventTitle(e)}, at ${formatTime(spanOf(trace, clock, event).startUs)}`;
}
