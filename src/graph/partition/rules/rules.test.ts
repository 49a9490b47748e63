/**
 * Which operators of a forward graph have a placement rule. One without a rule gathers what it takes in, which costs a
 * message: a new operator of a layer gets a row, or stands here.
 */
import { expect, test } from 'vitest';
import { OPS } from '../../op-table';
import { isCollective } from '../../ops/collective';
import { hasRule } from '.';

/**
 * Losses take whole tensors (but for cross-entropy); the others are of modes, and of what evaluation reads. The last
 * two are what the pass itself puts into a graph.
 */
const ON_WHOLES = [
  /^loss[/](mse|l1|smooth-l1|huber|bce-with-logits|nll)$/,
  /^norm[/]sync-batch-norm/,
  /^ops[/](matmul|softmax|log-softmax|sum|copy)$/,
  /^shape[/](place|cat)$/,
  /^norm[/]batch-norm-pool$/,
  /^partition[/]/,
  /^loss[/]parallel-loss$/,
];

test('every operator with a gradient has a placement rule, or a reason to have none', () => {
  const without = [...OPS.values()].flatMap(({ name, gradient }) =>
    gradient === undefined || isCollective({ op: name }) || hasRule(name) ? [] : [name],
  );
  expect(without.filter((name) => !ON_WHOLES.some((pattern) => pattern.test(name)))).toEqual([]);
});
