/**
 * Loss and accuracy of given weights over all rows, in evaluation mode (running statistics, no dropout):
 * `loss_fn(model(x), y)` after `model.eval()`. Rows are evaluated in pieces that fit into memory; each piece's mean is
 * weighted by its divisor, so that the result is the mean over all rows. Called by run.ts on request.
 */
import { at } from '../base/invariant';
import type { LossConfig } from '../protocol/config';
import type { RowsEvaluation } from '../protocol/report';
import type { HostArray } from '../tensor/shape';
import type { Blueprint } from '../training/blueprint';
import { accuracy, ignoreIndexOf } from './accuracy';
import { createEvaluator, type Evaluator, type ModelState } from './evaluator';
import { affordableRows, gather } from './measure';

/** Work of a piece: large enough for the fast kernels, small enough for memory. */
const PIECE_NS = 200e6;

export function evaluateAll(
  blueprint: Blueprint,
  state: ModelState,
): { readonly train: RowsEvaluation; readonly test?: RowsEvaluation } {
  const { dataset, input } = blueprint;
  const most = affordableRows(input, PIECE_NS);
  const evaluators = new Map<number, Evaluator>();
  const over = (rows: Int32Array): RowsEvaluation => {
    let [loss, divisor, right, counted] = [0, 0, 0, 0];
    for (let from = 0; from < rows.length; from += most) {
      const piece = rows.subarray(from, from + most);
      const evaluator = evaluators.get(piece.length) ?? createEvaluator(input, piece.length);
      evaluators.set(piece.length, evaluator);
      const { inputs, targets } = gather(blueprint, piece);
      const result = evaluator.run(state, inputs, targets);
      const share = divisorOf(input.config.loss, targets);
      // If all rows of a piece are ignored, its mean is 0 / 0.
      if (share > 0) loss += result.loss * (input.config.loss.reduction === 'sum' ? 1 : share);
      divisor += share;
      if (dataset.task !== 'classification') continue;
      const places = countedOf(input.config.loss, targets);
      right += places * accuracy(input.config.loss, result.outputs, targets);
      counted += places;
    }
    const whole = input.config.loss.reduction === 'sum' ? loss : loss / divisor;
    return { rows: rows.length, loss: whole, ...(counted > 0 ? { accuracy: right / counted } : {}) };
  };
  const train = over(dataset.train);
  return dataset.test.length > 0 ? { train, test: over(dataset.test) } : { train };
}

const isOfClasses = ({ type }: LossConfig): boolean => type === 'CrossEntropyLoss' || type === 'NLLLoss';

/**
 * The divisor of a piece's mean, as in torch: the number of elements, or the sum of class weights of rows that are not
 * ignored.
 */
function divisorOf(loss: LossConfig, targets: HostArray): number {
  if (!isOfClasses(loss)) return targets.length;
  const weights = 'classWeights' in loss ? loss.classWeights : undefined;
  const ignored = ignoreIndexOf(loss);
  let sum = 0;
  for (const target of targets) if (target !== ignored) sum += weights === undefined ? 1 : at(weights, target);
  return sum;
}

function countedOf(loss: LossConfig, targets: HostArray): number {
  if (!isOfClasses(loss)) return targets.length;
  const ignored = ignoreIndexOf(loss);
  let counted = 0;
  for (const target of targets) if (target !== ignored) counted++;
  return counted;
}
