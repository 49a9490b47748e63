/**
 * The sentences of a step in which ranks of a tensor group share each layer: they say which part of a layer a rank
 * computes, and which addends are summed. And the trace says of each tensor which part of the whole a device has.
 */
import { describe, expect, test } from 'vitest';
import { SMALL_GPT } from '../app/testing/small-runs';
import { parseConfig } from '../config/parse-config';
import { bufferWords } from '../trace/buffer-words';
import { momentSentence } from '../trace/moments/moment-sentence';
import { whyOf } from '../trace/moments/moment-why';
import { byMoments } from '../trace/moments/moments';
import { partsIn, shareWords } from '../trace/parts';
import { sentenceOf } from '../trace/sentence';
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

async function traced() {
  const tensor = { plan: PLAN, lossParallel: true };
  const config = parseConfig({ ...SMALL_GPT, mode: 'tensor', worldSize: 2, tensor, device: 'cpu' });
  const blueprint = createBlueprint(config, {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  const trace = byMoments(await training.trace());
  await training.dispose();
  return trace;
}

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
      'Round 1 of 2, reduce-scatter of the two addends of the output of blocks.0.proj: every rank sends one chunk to the other, which adds it',
      'Forward: both ranks add the bias of «blocks.0.proj» to the finished sum, once',
      'Every rank finds the largest logit of each row among its half of the classes (CrossEntropyLoss)',
      'Round 1 of 2, reduce-scatter of the largest logit of each row: every rank sends one chunk to the other, which keeps the larger values',
      'Round 1 of 2, reduce-scatter of the two addends of the gradient of the output of ln_f: every rank sends one chunk to the other, which adds it',
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

  test('no sentence speaks of SyncBatchNorm, a bucket, or a buffer of ours', () => {
    const events = trace.events.map((_, index) => sentenceOf(trace, index, 'modelled'));
    for (const sentence of [...said, ...events])
      expect(sentence).not.toMatch(/SyncBatchNorm|bucket|undefined|\.(addend|sum|for|own)\b/);
    const torch = /^[\w.]*(weight|bias)(\.grad|\.momentum_buffer)?$|^loss$/;
    const buffers = new Set(trace.events.flatMap(({ reads, writes }) => [...reads, ...writes]));
    expect([...buffers].filter((name) => bufferWords(name) === name && !torch.test(name))).toEqual([]);
  });

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
