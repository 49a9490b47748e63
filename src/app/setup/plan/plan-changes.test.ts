/** The plan editor derives plans from the plan that a run reports; the engine accepts each of them. */
import { expect, test } from 'vitest';
import { must } from '../../../base/invariant';
import { parseConfig } from '../../../config/parse-config';
import type { ConfigInput } from '../../../protocol/config';
import { mlpLayers } from '../../../protocol/presets';
import { createBlueprint } from '../../../training/blueprint';
import { withTensorPlan } from '../../edit/edit-split';
import { costOf, withStyle } from './plan-changes';

const infoOf = (plan?: ReturnType<typeof withStyle>, more: ConfigInput = {}) =>
  must(
    createBlueprint(
      parseConfig({
        mode: 'tensor',
        worldSize: 2,
        device: 'cpu',
        model: { layers: mlpLayers([2, 8, 8, 1], 'Tanh') },
        batchSize: 10,
        ...(plan ? { tensor: { plan } } : {}),
        ...more,
      }),
      {},
    ).facts.plan,
    'a plan',
  );

test('of the model: a pair, and the last layer whole', () => {
  const info = infoOf();
  expect(info.modules.map(({ path, style }) => [path, style])).toEqual([
    ['0', 'ColwiseParallel'],
    ['2', 'RowwiseParallel'],
    ['4', undefined],
  ]);
  // 24 of 8 x 2 + 8 by columns; 8 x 8 by rows and a whole bias; 9 whole.
  expect(info.parameters).toEqual({ whole: 24 + 72 + 9, own: 12 + 40 + 9 });
  // The all-reduce of the row-wise products; the data need no gradient, so backward has none.
  expect(info.collectives).toEqual([
    expect.objectContaining({ op: 'allReduce', phase: 'forward', module: '2', bytes: 10 * 8 * 4 }),
  ]);
  expect(costOf(info)).toEqual({ forward: 1, backward: 0, bytes: 320 });
  expect(info.gathersFor).toEqual([]);
});

test('columns after columns gather in between, and say for which module', () => {
  const info = infoOf(withStyle(infoOf(), '2', 'ColwiseParallel'));
  expect(info.gathersFor).toEqual(['2', '4']);
  expect(costOf(info).forward).toBe(2);
  expect(costOf(infoOf(withStyle(info, '2', 'RowwiseParallel')))).toEqual(costOf(infoOf()));
});

test('a module that is set to whole is removed from the plan', () => {
  const plan = withStyle(infoOf(), '0', undefined);
  expect(plan).toEqual({ 2: 'RowwiseParallel' });
  expect(infoOf(plan).parameters.own).toBe(24 + 40 + 9);
});

test('another style for one module keeps the layouts of the others, and its own if it gets its style back', () => {
  const prepared = { style: 'PrepareModuleInput', desiredInputLayouts: 'Replicate' } as const;
  const info = infoOf({ 0: 'ColwiseParallel', 1: prepared });
  expect(withStyle(info, '4', 'RowwiseParallel')).toEqual({ 0: 'ColwiseParallel', 1: prepared, 4: 'RowwiseParallel' });
  const again = withStyle(info, '1', 'PrepareModuleInput');
  expect(again).toEqual({ 0: 'ColwiseParallel', 1: prepared });
  expect(infoOf(again).gathersFor).toEqual([]);
  expect(withStyle(info, '1', undefined)).toEqual({ 0: 'ColwiseParallel' });
});

test('an embedding and the head that shares its weight change together, so that both cut it alike', () => {
  const gpt: ConfigInput = {
    data: { type: 'text', text: 'abcdefgh'.repeat(9), context: 4 },
    loss: { type: 'CrossEntropyLoss' },
    model: {
      layers: [
        { type: 'TokenEmbedding', vocab: 8, context: 4, width: 4, name: '' },
        { type: 'Linear', in: 4, out: 8, bias: false, tied: 'tok.weight', name: 'head' },
      ],
    },
  };
  const info = infoOf(undefined, gpt);
  expect(withStyle(info, 'tok', undefined)).toEqual({});
  expect(withStyle(info, 'head', undefined)).toEqual({});
  const whole = infoOf({}, gpt);
  // loss_parallel goes with a head that is cut by columns.
  const settings = parseConfig(gpt);
  const back = withTensorPlan(settings, withStyle(whole, 'head', 'ColwiseParallel'), whole.head);
  expect(back.tensor.lossParallel).toBe(true);
  expect(withTensorPlan(back, withStyle(info, 'head', undefined), info.head).tensor).toEqual({ plan: {} });
  const off = { ...settings, tensor: { lossParallel: false } };
  expect(withTensorPlan(off, back.tensor.plan, info.head).tensor.lossParallel).toBe(false);
  expect(withStyle(whole, 'head', 'ColwiseParallel')).toEqual({ tok: 'RowwiseParallel', head: 'ColwiseParallel' });
  const byWidth = withStyle(whole, 'tok', 'ColwiseParallel');
  expect(byWidth).toEqual({ tok: 'ColwiseParallel', head: 'RowwiseParallel' });
  expect(infoOf(byWidth, gpt).parameters.own).toBeLessThan(whole.parameters.own);
});
