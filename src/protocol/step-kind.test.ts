/** Kinds as text: labels for people, keys of Maps, and neither of them a text that a program could read back. */
import { expect, test } from 'vitest';
import { ALONE, CONSTRUCT, fullStep, kindLabel, programKey, RESUME, type StepKind } from './step-kind';

const label = (kind: StepKind): string => `${kindLabel(kind)}`;

test('labels', () => {
  expect([CONSTRUCT, RESUME, ALONE].map(label)).toEqual(['construct', 'resume', 'alone']);
  expect(label(fullStep([4]))).toBe('full');
  expect(label(fullStep([4], { beforeRebuild: true }))).toBe('first');
  expect(label(fullStep([2], { size: 'last', beforeRebuild: true }))).toBe('last-first');
  expect(label(fullStep([8, 0], { size: 'other', endsJoin: true }))).toBe('8,0-end');
  expect(label({ ...fullStep([4]), steps: false })).toBe('full-set');
  expect(label({ ...fullStep([4], { gradients: 'add', beforeRebuild: true }), steps: false })).toBe('full-add-first');
  expect(label({ ...fullStep([4]), hookPhase: 'average' })).toBe('full-average');
  const [microBatch] = fullStep([4]).microBatches;
  if (microBatch)
    expect(label({ ...fullStep([4]), microBatches: [microBatch, { ...microBatch, size: 'last' }] })).toBe(
      'full-set + last',
    );
});

test('kinds of equal contents have one key, others have others', () => {
  expect(programKey(fullStep([4, 4]))).toBe(programKey(structuredClone(fullStep([4, 4]))));
  const whole = fullStep([4, 4]);
  const kinds: StepKind[] = [
    whole,
    fullStep([4, 3]),
    fullStep([4, 4], { size: 'other' }),
    fullStep([4, 4], { gradients: 'add' }),
    fullStep([4, 4], { reduces: false }),
    fullStep([4, 4], { syncsBuffers: false }),
    fullStep([4, 4], { beforeRebuild: true }),
    fullStep([4, 4], { endsJoin: true }),
    { ...whole, steps: false },
    { ...whole, hookPhase: 'plain' },
    { ...whole, microBatches: [...whole.microBatches, ...whole.microBatches] },
    CONSTRUCT,
    RESUME,
    ALONE,
    { type: 'alone', name: 'construct' },
  ];
  expect(new Set(kinds.map(programKey)).size).toBe(kinds.length);
});

/** Checked by the compiler: taking one as text is an error, and an expected one that is missing is one, too. */
test('neither a label nor a key is a text', () => {
  // @ts-expect-error a label is put into a sentence as a whole
  const parsed: string = kindLabel(CONSTRUCT);
  // @ts-expect-error a key is good for a Map alone
  const compared: boolean = programKey(CONSTRUCT) === 'construct';
  // @ts-expect-error what a Program is for is a value
  const asked: boolean = CONSTRUCT === 'construct';
  expect([parsed, compared, asked]).toEqual(['construct', true, false]);
});
