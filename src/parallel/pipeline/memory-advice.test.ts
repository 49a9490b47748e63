/** A pipeline that is over its memory is refused with the schedule that would fit. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';

const run = (pipeline: ConfigInput['pipeline'], memoryBudgetMb?: number) =>
  createBlueprint(
    parseConfig({
      mode: 'pipeline',
      mesh: { pp: 4 },
      model: { layers: mlpLayers([2, 64, 64, 64, 64, 64, 64, 64, 1], 'Tanh') },
      data: { type: 'xor', samples: 512 },
      batchSize: 512,
      pipeline: { microBatches: 16, ...pipeline },
      compareSingle: false,
      ...(memoryBudgetMb === undefined ? {} : { memoryBudgetMb }),
    }),
    {},
  );

const hintOf = (refused: () => unknown): string => {
  try {
    refused();
  } catch (error) {
    return (error as { hint: string }).hint;
  }
  return 'not refused';
};

test('for GPipe the advice is 1F1B, which keeps fewer micro-batches', () => {
  const budget = 0.4;
  expect(() => run({ schedule: 'GPipe' }, budget)).toThrow('CUDA out of memory');
  expect(() => run({ schedule: '1F1B' }, budget)).not.toThrow();
  expect(hintOf(() => run({ schedule: 'GPipe' }, budget))).toMatch(/^1F1B would fit.*pipeline\.schedule to 1F1B\.$/);
});

test('where no schedule fits, with the usual advice', () => {
  expect(hintOf(() => run({ schedule: 'GPipe' }, 0.01))).toMatch(/memory budget/);
});
