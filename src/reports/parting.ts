/**
 * Where two runs part first: at which step, and in what of it. A step computes losses, then gradients, then parameters,
 * so what parts first says whose work differs: the forward pass and its data, backward and its reduction, or the
 * optimizer. Called by compare-reports.ts; verdict and causes read it.
 */
import { GRADIENT_FACTOR } from './bars';
import type { HistoryComparison, HistoryKind, TensorHistory } from './compare-history';
import type { LossComparison, LossDifference } from './compare-losses';

export interface Parting {
  readonly step: number;
  readonly stage: 'losses' | HistoryKind;
  /** Of gradients and parameters, the tensor that differs most there. */
  readonly tensor?: TensorHistory;
  readonly loss?: LossDifference;
}

/** Gradients that are so much further apart than their bar are counted even where nothing else parts. */
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
