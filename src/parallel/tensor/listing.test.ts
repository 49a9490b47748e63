/**
 * The plan that the script prints, held against the plans with which torch recorded the runs of the fixtures: layouts
 * that the settings leave out are those that were given to torch.
 */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import fixture from '../../training/fixtures/tensor.json';
import { TENSOR_CASES } from '../../training/testing/tensor-cases';
import { tensorListing } from './listing';

const printed = (config: Parameters<typeof tensorListing>[0]): readonly string[] =>
  tensorListing(config).map(({ text }) => text);

/** { '0': 'ColwiseParallel()' } of the printed plan. */
function planOf(script: readonly string[]): Readonly<Record<string, string>> {
  const start = script.indexOf('plan = {');
  const rows = script.slice(start + 1, script.indexOf('}', start));
  return Object.fromEntries(rows.map((row) => (/^ {4}'(.*)': (.*),$/.exec(row) ?? []).slice(1, 3)));
}

const recorded = Object.values(fixture.runs).flatMap(({ tensor_parallel }) =>
  tensor_parallel.map(({ plan }) => plan as Readonly<Record<string, string>>),
);

test.each(TENSOR_CASES.map((each, i) => [each, recorded[i] ?? {}] as const))(
  '$name: the plan that torch was given',
  ({ config }, plan) => {
    expect(planOf(printed(parseConfig(config)))).toEqual(plan);
  },
);

test('clips by the norm of whole gradients, right before the step', () => {
  const script = printed(parseConfig({ mode: 'tensor', worldSize: 2, clipGradNorm: 0.5, clipGradNormType: 'inf' }));
  const step = script.findIndex((text) => text.trim() === 'optimizer.step()');
  expect(script.slice(step - 5, step).map((text) => text.trim())).toEqual([
    'grads = [p.grad for p in model.parameters() if p.grad is not None]',
    'whole = [g.full_tensor() if isinstance(g, DTensor) else g for g in grads]',
    "norm = nn.utils.get_total_norm(whole, norm_type=float('inf'))",
    'for grad in grads:',
    'grad.mul_(min(1, 0.5 / (norm.item() + 1e-6)))',
  ]);
});

test('a block computes attention over the heads of its rank, also where its input is cut along the sequence', () => {
  const gpt = TENSOR_CASES.find(({ name }) => name.includes('SequenceParallel'));
  const script = printed(parseConfig(gpt?.config)).map((text) => text.trim());
  const attention = script.slice(script.indexOf('def attention(self, x):'), script.indexOf('def forward(self, x):'));
  expect(attention).toContain('n, t, width = qkv.shape');
  expect(attention).toContain('for part in qkv.chunk(3, dim=-1)');
  expect(attention.join(' ')).not.toMatch(/x\.shape|self\.qkv\(x\)\.chunk|width \/|, width\)/);
  expect(script).toContain('block.heads //= tp');
});
