/**
 * The sentences of a step in which ranks of a tensor group share each layer: they say which part of a layer a rank
 * computes, and which addends are summed. And the trace says of each tensor which part of the whole a device has.
 */
import { describe, expect, test } from 'vitest';
import { SMALL_GPT } from '../app/testing/small-runs';
import { parseConfig } from '../config/parse-config';
import type { ConfigInput } from '../protocol/config';
import { mlpLayers } from '../protocol/presets';
import { bufferWords } from '../trace/buffer-words';
import { momentSentence } from '../trace/moments/moment-sentence';
import { whyOf } from '../trace/moments/moment-why';
import { byMoments } from '../trace/moments/moments';
import { sentenceOf } from '../trace/sentence';
import { partsIn, shareWords } from '../trace/tensor-parts';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';

const [COLUMNS, ROWS] = ['ColwiseParallel', 'RowwiseParallel'] as const;
const PLAN = {
  tok: ROWS,
  'blocks.*.qkv': COLUMNS,
  'blocks.*.proj': ROWS,
  'blocks.*.fc1': COLUMNS,
  'blocks.*.fc2': ROWS,
  head: COLUMNS,
} as const;

async function traced(more: ConfigInput = {}) {
  const tensor = { plan: PLAN, lossParallel: true };
  const config = parseConfig({ ...SMALL_GPT, mode: 'tensor', worldSize: 2, tensor, device: 'cpu', ...more });
  const blueprint = createBlueprint(config, {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  const trace = byMoments(await training.trace());
  await training.dispose();
  return trace;
}

function expectWords(trace: Awaited<ReturnType<typeof traced>>, said: readonly string[]): void {
  const events = trace.events.map((_, index) => sentenceOf(trace, index, 'modelled'));
  for (const sentence of [...said, ...events])
    expect(sentence).not.toMatch(/SyncBatchNorm|bucket|undefined|\.(addend|sum|for|own|halves|sent|received)\b/);
  const torch = /^[\w.]*(weight|bias)(\.grad|\.momentum_buffer)?$|^loss$/;
  const buffers = new Set(trace.events.flatMap(({ reads, writes }) => [...reads, ...writes]));
  expect([...buffers].filter((name) => bufferWords(name) === name && !torch.test(name))).toEqual([]);
}

describe('under autocast', () => {
  test('sentences name the cut and what crosses as halves', async () => {
    const trace = await traced({ precision: 'autocast-bf16' });
    const said = trace.moments.map((moment) => momentSentence(trace, moment, 'modelled'));
    for (const sentence of [
      'Forward: every rank multiplies by its half of the columns of «blocks.0.qkv» (Linear)',
      'Forward: every rank multiplies by its half of the rows of «blocks.0.proj» (Linear), which gives an addend of the output',
      'Round 1 of 2, reduce-scatter of the two addends of the output of blocks.0.proj as halves: every rank sends one chunk to the other',
      'Forward: both ranks add what they received to their own output of blocks.0.proj as halves, rounding after every addition',
      'Round 2 of 2, all-gather of the output of blocks.0.proj as halves: every rank passes one finished chunk on to the other',
      'Forward: both ranks unpack the output of blocks.0.proj to compute in float32',
    ])
      expect(said).toContain(sentence);
    expectWords(trace, said);
    const why = trace.moments.map((moment) => whyOf(trace, moment, 'modelled'));
    expect(why.join()).not.toContain('DDP');
    expect(why).toContain(
      'The gradient of a layer’s weights needs no other rank. Each rank computes it while the all-reduce of the gradient of the layer’s input is under way.',
    );
  });

  test('of pieces that are gathered, padded and summed', async () => {
    const layers = mlpLayers([3, 6, 7, 2], 'Tanh');
    const data = { type: 'randomRegression', samples: 12, in: 3, out: 2 } as const;
    const tensor = { plan: { 0: COLUMNS, 2: COLUMNS } };
    for (const precision of ['float32', 'autocast-bf16'] as const) {
      const loss = { type: 'MSELoss' } as const;
      const trace = await traced({ model: { layers }, data, loss, tensor, precision, batchSize: 3 });
      const said = trace.moments.map((moment) => momentSentence(trace, moment, 'modelled'));
      for (const sentence of [
        'Forward: every rank puts its piece of the output of layer 1 in its place among those of all ranks',
        'Forward: every rank puts its piece of the output of layer 3 in its place among those of all ranks',
        'Backward: every rank takes its own piece of the gradient of the output of layer 3',
        'Backward: every rank takes its part of the sum',
      ])
        expect(said, precision).toContain(sentence);
      expectWords(trace, said);
    }
  });
});

describe('a GPT cut between two ranks', async () => {
  const trace = await traced();
  const said = trace.moments.map((moment) => momentSentence(trace, moment, 'modelled'));

  test('sentences name the cut', () => {
    for (const sentence of [
      'Both ranks load the same 4 samples from the DataLoader',
      'Forward: every rank looks up the tokens of its half of the vocabulary in «tok» (embedding); other tokens give zeros',
      'Forward: every rank multiplies by its half of the columns of «blocks.0.qkv» (Linear)',
      'Forward: every rank computes its half of the heads of «blocks.0» (attention)',
      'Forward: every rank multiplies by its half of the rows of «blocks.0.proj» (Linear), which gives an addend of the output',
      'All-reduce of the two addends of the output of blocks.0.proj: every rank gets the sum, in 2 rounds',
      'Forward: both ranks add the bias of «blocks.0.proj» to the finished sum, once',
      'Every rank finds the largest logit of each row among its half of the classes (CrossEntropyLoss)',
      'All-reduce of the largest logit of each row: every rank gets the largest values, in 2 rounds',
      'All-reduce of the two addends of the gradient of the output of ln_f: every rank gets the sum, in 2 rounds',
    ])
      expect(said).toContain(sentence);
  });

  test('why a rank computes its part, and sends what it sends', () => {
    const why = new Map(trace.moments.map((moment, i) => [said[i], whyOf(trace, moment, 'modelled')]));
    expect(why.get(said[0])).toBe(
      'Ranks of one tensor group compute parts of the same layers, so they need the same samples.',
    );
    expect(why.get('Forward: both ranks add the bias of «blocks.0.proj» to the finished sum, once')).toBe(
      'If every rank added the bias to its addend, the sum would contain the bias once per rank.',
    );
    for (const text of why.values()) expect(text ?? '').not.toMatch(/different samples|own samples|SyncBatchNorm/);
  });

  test('no sentence speaks of SyncBatchNorm, a bucket, or a buffer of ours', () => expectWords(trace, said));

  test('the devices have parts that make up the whole', () => {
    const partOf = partsIn(trace);
    for (const [buffer, dim, ranges] of [
      ['tok.weight', 0, [[0, 2]]],
      [
        'blocks.0.qkv.weight',
        0,
        [
          [0, 4],
          [8, 4],
          [16, 4],
        ],
      ],
      ['blocks.0.proj.weight', 1, [[0, 4]]],
    ] as const) {
      const cut = partOf(0, buffer);
      expect(cut?.dim).toBe(dim);
      expect(cut?.part.ranges[dim]?.map(({ start, length }) => [start, length])).toEqual(ranges);
      expect(partOf(1, `${buffer}.grad`)?.dim).toBe(dim);
      expect(cut && shareWords(cut)).toBe('half');
    }
    expect(partOf(1, 'blocks.0.proj.out.addend')?.part.addend).toBe(1);
    expect(partOf(0, 'ln_f.weight')).toBeUndefined();
  });
});
