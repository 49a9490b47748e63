/** Reads the curves of the drawing `memory-over-time` from recorded runs: live bytes of cuda:0, kernel by kernel. */
import { must } from '../../base/invariant';
import type { TraceEvent } from '../../protocol/trace';
import { memoryOf, totalBytes } from '../../trace/memory';
import type { MemoryCurve, StepWork } from '../drawing/kinds/memory-over-time';
import type { Recorded } from './record-run';

const workOf = ({ phase, writes }: TraceEvent): StepWork => {
  if (writes.some((name) => name.endsWith('.again'))) return 'again';
  if (phase === 'step') return 'optimizer';
  return phase === 'backward' ? 'backward' : 'forward';
};

export const memoryCurves = (runs: ReadonlyMap<string, Recorded>): readonly MemoryCurve[] =>
  [...runs].map(([setting, { facts }]) => {
    const trace = must(facts.trace, 'a traced step');
    const memory = memoryOf(trace, must(facts.info, 'a run').buffers);
    const kernels = trace.events.flatMap((event, index) => {
      const time = trace.modelled[index];
      if (event.device !== 0 || event.kind !== 'compute' || !time) return [];
      return [[Math.round(time.startUs), totalBytes(memory.at(0, index)), workOf(event)] as const];
    });
    return {
      setting,
      stepUs: Math.round(must(facts.metrics, 'metrics').stepUs),
      floor: totalBytes(memory.at(0, -1)),
      kernels,
    };
  });
