/**
 * A trace for tests of the page's own logic: consecutive layers of one device. Tests of a trace's meaning use real
 * traces.
 */
import { fullStep } from '../../protocol/step-kind';
import type { StepTrace } from '../../protocol/trace';

export const traceOf = (step: number, count: number): StepTrace => ({
  microBatch: step,
  step,
  accumulate: 1,
  epoch: 0,
  kind: fullStep([]),
  events: Array.from({ length: count }, (_, id) => ({
    id,
    device: 0,
    rank: 0,
    queue: 'compute',
    kind: 'compute',
    name: 'ops/linear',
    phase: 'forward',
    module: String(id),
    anchor: '',
    reads: [],
    writes: [],
    bytes: 0,
    flops: 0,
    deps: [],
    startUs: id,
    durUs: 1,
    captured: [],
  })),
  modelled: Array.from({ length: count }, (_, id) => ({ startUs: id, durUs: 1 })),
  samples: [],
  losses: { step, microBatch: step, epoch: 0, perRank: [step + 0.5], loss: step + 0.5 },
  initial: [],
});
