import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { prepareFiles } from '../../data/prepare-files';
import type { LayerInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';
import { loadParts } from '../../training/load-parts';

/** Linear, Tanh, Linear, Tanh, Linear. */
const LAYERS = mlpLayers([2, 4, 4, 1], 'Tanh');

async function splitOf(
  schedule: string,
  split: readonly number[],
  layers: readonly LayerInput[] = LAYERS,
  more: object = {},
): Promise<readonly number[] | undefined> {
  const config = parseConfig({
    ...{ mode: 'pipeline', device: 'cpu', model: { layers }, data: { type: 'xor', samples: 32 } },
    ...{ mesh: { pp: 2 }, pipeline: { schedule, split, microBatches: 2 }, ...more },
  });
  await loadParts(config);
  return createBlueprint(config, await prepareFiles(config.data, {})).config.pipeline.split;
}

test.each([
  ['GPipe', [3, 1], 'the split makes 2 stages of 4 layers, but the schedule has 2 stages and the model 5 layers'],
  ['Interleaved1F1B', [3, 2], 'the split makes 2 stages of 5 layers, but the schedule has 4 stages'],
  // Rank 1 has the stages 1 and 2.
  ['ZBVZeroBubble', [1, 1, 2, 1], undefined],
  // Rank 1 has the stages 1 and 3.
  ['LoopedBFS', [1, 1, 1, 2], undefined],
])('%s with the split %j', async (schedule, split, why) => {
  const made = splitOf(schedule, split);
  if (why === undefined) expect(await made).toEqual(split);
  else await expect(made).rejects.toThrow(why);
});

test('a rank whose stages have no parameters cannot make an optimiser', async () => {
  await expect(splitOf('GPipe', [4, 1])).resolves.toEqual([4, 1]);
  const tanhLast = [...mlpLayers([2, 4, 1], 'Tanh'), { type: 'Tanh' as const }];
  await expect(splitOf('GPipe', [3, 1], tanhLast)).rejects.toThrow(
    'no layer of rank 1 has parameters: PyTorch stops with “optimizer got an empty parameter list”',
  );
  const unusedLast: readonly LayerInput[] = [
    ...mlpLayers([2, 4, 1], 'Tanh'),
    { type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] },
  ];
  await expect(splitOf('GPipe', [3, 1], unusedLast)).resolves.toEqual([3, 1]);
  const scaled = { precision: 'autocast-fp16', gradScaler: { enabled: true } };
  await expect(splitOf('GPipe', [3, 1], unusedLast, scaled)).rejects.toThrow(
    'no layer of rank 1 gets gradients: PyTorch’s GradScaler stops with “No inf checks were recorded',
  );
});
