/** The tooltips of events and idle stretches. Pure; called by the timeline's scene. */
import type { Clock, StepTrace } from '../../protocol/trace';
import { bufferWords } from '../../trace/buffer-words';
import { spanOf } from '../../trace/lanes';
import { deviceName } from '../../trace/words';
import { formatCount, formatSize, formatTime } from '../draw/format';
import type { Tip } from '../draw/tip';
import { eventTitle } from '../lanes/event-label';
import type { Gap } from '../lanes/gaps';
import type { CommWait } from './lane-parts';

const CLOCKS: readonly Clock[] = ['modelled', 'measured'];

export function eventTip(trace: StepTrace, index: number): Tip {
  const e = trace.events[index];
  if (!e) return { title: '', facts: [] };
  const time = (clock: Clock): readonly [string, string] => {
    const { startUs, durUs } = spanOf(trace, clock, index);
    return [clock, `${formatTime(durUs)} from ${formatTime(startUs)}`];
  };
  return {
    title: eventTitle(trace, e),
    facts: [
      ['phase', e.bucket === undefined ? e.phase : `${e.phase}, bucket ${e.bucket}`],
      ...(e.kind === 'compute' ? [['kernel', e.name] as const] : []),
      ...(e.peer === undefined ? [] : [[e.kind === 'send' ? 'to' : 'from', deviceName(trace, e.peer)] as const]),
      ...CLOCKS.map(time),
      ...(e.bytes > 0 ? [[e.peer === undefined ? 'reads and writes' : 'moves', formatSize(e.bytes)] as const] : []),
      ...(e.flops > 0 ? [['computes', `${formatCount(e.flops)} flop`] as const] : []),
      ...(e.writes.length > 0 ? [['writes', e.writes.map(bufferWords).join(', ')] as const] : []),
    ],
  };
}

export const gapTip = (gap: Gap): Tip => ({
  title: `Idle for ${formatTime(gap.endUs - gap.startUs)}`,
  facts: [['why', gap.why()]],
});

/** `next`: the message with which communication continues. */
export function waitTip(trace: StepTrace, { startUs, endUs, next }: CommWait): Tip {
  const peer = trace.events[next]?.peer;
  return {
    title: `Communication waits for ${formatTime(endUs - startUs)}`,
    facts: peer === undefined ? [] : [['for', deviceName(trace, peer)]],
  };
}
