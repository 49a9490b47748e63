/**
 * DDP's settings in the listing. That such scripts train as the run does was tried under torch 1.13 with gloo: their
 * losses are in training/fixtures/ddp-scripts.json.
 */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { PARALLEL_MODES } from '../../parallel/modes';
import { type ConfigInput, configSchema } from '../../protocol/config';

const listing = (ddp: ConfigInput['ddp'], rest: ConfigInput = {}): readonly string[] => {
  const config = v.parse(configSchema, { mode: 'ddp', worldSize: 2, batchSize: 16, ...rest, ddp });
  return PARALLEL_MODES.ddp.listing
    .get()(config)
    .map((line) => line.text);
};

test.each([
  [{ findUnusedParameters: true }, ', find_unused_parameters=True)'],
  [{ staticGraph: true, bucketCapMb: 2 }, ', bucket_cap_mb=2, static_graph=True)'],
  [{ gradientAsBucketView: true }, ', gradient_as_bucket_view=True)'],
  [{ broadcastBuffers: false, initSync: false }, ', forward_sync_buffers=False, init_sync=False)'],
] as const)('the wrapper says %o', (ddp, end) => {
  expect(listing(ddp).find((text) => text.startsWith('model = DistributedDataParallel('))).toContain(
    `(model, device_ids=[device] if gpus else None${end}`,
  );
});

test('seeds of ranks are set before or after the model', () => {
  const places = (rankSeeds: 'same' | 'beforeModel' | 'afterModel') => {
    const code = listing({ rankSeeds });
    return [
      code.indexOf('torch.manual_seed(0 + rank)'),
      code.findIndex((text) => text.startsWith('model = nn.')),
    ] as const;
  };
  expect(places('same')[0]).toBe(-1);
  const [before, model] = places('beforeModel');
  expect(before).toBe(model - 1);
  const [after, built] = places('afterModel');
  expect(after).toBeGreaterThan(built);
});

test('set_epoch forgotten', () => {
  expect(listing({}).some((text) => text.includes('set_epoch'))).toBe(true);
  expect(listing({ setEpoch: false }).some((text) => text.includes('set_epoch'))).toBe(false);
});

test('no_sync around the passes that are named', () => {
  const passes = (noSync: 'both' | 'forward' | 'backward' | 'none') =>
    listing({ noSync }, { accumulate: 2 })
      .filter((text) => /no_sync|output = |backward\(\)/.test(text))
      .map((text) => `${text.length - text.trimStart().length} ${text.trim().slice(0, 6)}`);
  expect(passes('both')).toEqual(['8 with n', '12 output', '12 (loss ']);
  expect(passes('forward')).toEqual(['8 with n', '12 output', '8 (loss ']);
  expect(passes('backward')).toEqual(['8 output', '8 with n', '12 (loss ']);
  expect(passes('none')).toEqual(['8 output', '8 (loss ']);
});

test('rows of their own and join: around all epochs, or around each', () => {
  const uneven = { samplesPerRank: [40, 24], join: true, divideByInitialWorldSize: false };
  const loops = (rest: ConfigInput) => listing(uneven, rest).filter((text) => /^ *(for|with) /.test(text));
  expect(loops({})).toEqual([
    'for epoch in range(20):',
    '    with model.join(divide_by_initial_world_size=False):',
    '        for x, y in loader:',
  ]);
  expect(listing(uneven)).toContain('    step = epoch * 5  # of the rank with most batches');
  expect(loops({ epochs: 3 })[0]).toBe('with model.join(divide_by_initial_world_size=False):');
  const code = listing(uneven);
  expect(code).toContain('part = Subset(dataset, range(start, start + rows[rank]))');
  expect(code.join('\n')).not.toContain('DistributedSampler');
  expect(listing({ samplesPerRank: [40, 24] })).toContain('for epoch in range(1):');
  expect(listing({ samplesPerRank: [40, 40] })).toContain('for epoch in range(math.ceil(steps / len(loader))):');
});

test('comments beside the wrapper: an unused cap, and the names in other versions', () => {
  const notes = (ddp: ConfigInput['ddp']) => {
    const code = listing(ddp);
    const wrapper = code.findIndex((text) => text.startsWith('model = DistributedDataParallel('));
    return code.slice(code.findLastIndex((text, i) => i < wrapper && !text.startsWith('#')) + 1, wrapper);
  };
  expect(notes({})).toEqual([]);
  expect(notes({ bucketCapMb: 25 })).toEqual([]);
  expect(notes({ bucketCapMb: 0.0002 })).toEqual([
    '# bucket_cap_mb: so small for show; leave it out (first bucket 1 MiB, then 25)',
  ]);
  expect(notes({ broadcastBuffers: false })).toEqual(['# forward_sync_buffers: broadcast_buffers before torch 2.13']);
  expect(notes({ initSync: false })).toEqual(['# init_sync: torch 2.7 and later']);
  expect(
    listing({ commHook: { type: 'bf16Compress' } })
      .filter((text) => text.startsWith('#'))
      .join(),
  ).not.toContain('gloo');
});
