/**
 * Where two runs first differ: the step, and the quantity. A step computes losses, then gradients, then parameters, so
 * the first quantity that differs shows whether the forward pass with its data, backward with its reduction, or the
 * optimizer differs. Called by compare-reports.ts; read by verdict and causes.
 */

import type { HistoryComparison, HistoryKind, TensorHistory } from './compare-history';
import type { LossComparison, LossDifference } from './compare-losses';
import { GRADIENT_FACTOR } from './tolerances';

export interface Parting {
  readonly step: number;
  readonly stage: 'losses' | HistoryKind;
  /** For gradients and parameters, the tensor that differs most in that step. */
  readonly tensor?: TensorHistory;
  readonly loss?: LossDifference;
}

/** Gradients that exceed their bar by this factor count even if nothing else differs. */
const PLAIN = 100;
const ORDER = ['losses', 'gradients', 'parameters'] as const;

export function partingOf(losses: LossComparison, { tensors, rounding }: HistoryComparison): Parting | undefined {
  const { parts } = losses;
  const real = tensors.filter(({ name }) => !rounding.has(name));
  const steps = real.flatMap(({ kind, parts: step }) => (kind === 'parameters' && step !== undefined ? [step] : []));
  const others = [...steps, ...(parts ? [parts.step] : [])];
  const counts = ({ kind, parts: step, worst }: TensorHistory): boolean =>
    kind === 'parameters' ||
    worst.relative > PLAIN * GRADIENT_FACTOR * worst.bar ||
    others.some((other) => step !== undefined && Math.abs(other - step) <= 1);
  const found: Parting[] = [
    ...(parts ? [{ step: parts.step, stage: 'losses' as const, loss: parts }] : []),
    ...real.flatMap((tensor) =>
      tensor.parts !== undefined && counts(tensor) ? [{ step: tensor.parts, stage: tensor.kind, tensor }] : [],
    ),
  ];
  const before = (x: Parting, y: Parting): number =>
    x.step - y.step ||
    ORDER.indexOf(x.stage) - ORDER.indexOf(y.stage) ||
    (y.tensor?.worst.relative ?? 0) - (x.tensor?.worst.relative ?? 0);
  return found.sort(before)[0];
}
