/** What a sharded run says: the bytes by formula, settings without effect, and advice where memory does not suffice. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';

const NET: ConfigInput = {
  mode: 'sharded',
  worldSize: 4,
  device: 'cpu',
  compareSingle: false,
  batchSize: 32,
  steps: 2,
};

/** The text of the closed form of each kind of step. */
const formulas = (config: ConfigInput): readonly string[] =>
  createBlueprint(parseConfig({ ...NET, ...config }), {}).facts.closedForms.map(({ form }) => form.text);

test.each<[ConfigInput, string]>([
  [{}, '3 (N-1)/N × P: gathered in forward and in backward (the root only in forward), gradients scattered'],
  [
    { sharded: { reshardAfterForward: true } },
    '3 (N-1)/N × P: gathered in forward and in backward, gradients scattered',
  ],
  [{ sharded: { stage: 2 } }, '2 (N-1)/N × P: gathered once, gradients scattered'],
  [
    { sharded: { reshardTo: 2, reshardAfterForward: true } },
    '2 (N-1)/N × P: gathered in forward; in backward (K-1)/K × P from K = 2 ranks, gradients scattered',
  ],
  [
    { mesh: { dpShard: 2, dpReplicate: 2 }, sharded: { stage: 2 } },
    '2 (N-1)/N × P: gathered once, gradients scattered; and 2 (M-1)/M × P/N of gradients all-reduced among M = 2 replicas',
  ],
])('%j sends %s', (config, text) => {
  expect(formulas(config)).toContain(text);
});

test('micro-batches that do not reduce scatter no gradients', () => {
  const [text] = formulas({ accumulate: 2, sharded: { stage: 2, syncEveryPass: false } });
  expect(text).toMatch(/gathered once, gradients (stay on their rank in this micro-batch|scattered)/);
});

test.each<[ConfigInput['sharded'], string | undefined]>([
  [{ stage: 2, reshardTo: 2 }, 'sharded.reshardTo has no effect in stage 2'],
  [
    { stage: 1, prefetch: 2, syncEveryPass: false },
    'sharded.prefetch, sharded.syncEveryPass have no effect in stage 1',
  ],
  [{ stage: 3, prefetch: 2 }, undefined],
])('%j: %s', async (sharded, text) => {
  const { notices } = (await runConfig({ ...NET, sharded }, {})).report;
  const own = notices.find(({ id }) => id === 'unused-sharded-settings');
  if (text === undefined) expect(own).toBeUndefined();
  else expect(own?.text).toContain(text);
});

test('if gathered parameters take most of the memory, the advice is about units', () => {
  const config = parseConfig({
    ...NET,
    model: { layers: mlpLayers([2, 256, 256, 1], 'ReLU') },
    optimizer: { type: 'Adam' },
    memoryBudgetMb: 1,
  });
  expect(() => createBlueprint(config, {})).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('fully_shard’s units smaller') }),
  );
});
