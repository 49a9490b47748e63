import { describe, expect, test } from 'vitest';
import { createProgress, storageOf } from './progress';

function memory(text?: string) {
  let kept = text ?? null;
  return {
    getItem: () => kept,
    setItem: (_: string, next: string) => {
      kept = next;
    },
  };
}

describe('progress', () => {
  test('is restored on the next visit', () => {
    const storage = memory();
    const first = createProgress(storage);
    first.open('ddp');
    first.taskDone('ddp', 'agree');
    first.guess('ddp', 'eight', 1200);
    first.finish('all-reduce');
    const second = createProgress(storage);
    expect([...(second.of('ddp')?.tasks ?? [])]).toEqual(['agree']);
    expect(second.of('ddp')?.guesses.get('eight')).toBe(1200);
    expect(second.of('ddp')?.done).toBe(false);
    expect(second.of('all-reduce')?.done).toBe(true);
    expect(second.of('buckets')).toBeUndefined();
  });

  test('a guess can be taken back', () => {
    const progress = createProgress(memory());
    progress.guess('ddp', 'eight', 3);
    progress.guess('ddp', 'eight', undefined);
    expect(progress.of('ddp')?.guesses.size).toBe(0);
  });

  test.each([
    ['no JSON', '{'],
    ['another version', '{"version":2,"lessons":{"ddp":{"done":true}}}'],
    ['no lessons', '{"version":1,"lessons":7}'],
    ['a list', '[1,2]'],
    ['null', 'null'],
  ])('%s counts as nothing, and is written over', (_, text) => {
    const progress = createProgress(memory(text));
    expect(progress.of('ddp')).toBeUndefined();
    progress.taskDone('ddp', 'agree');
    expect(progress.of('ddp')?.tasks.has('agree')).toBe(true);
  });

  test('of a lesson only what is of the right kind is read', () => {
    const lesson = { tasks: ['a', 7, null], guesses: { x: 'much', y: 4 }, done: 'yes' };
    const progress = createProgress(memory(JSON.stringify({ version: 1, lessons: { ddp: lesson, __proto__: 3 } })));
    expect([...(progress.of('ddp')?.tasks ?? [])]).toEqual(['a']);
    expect([...(progress.of('ddp')?.guesses ?? [])]).toEqual([['y', 4]]);
    expect(progress.of('ddp')?.done).toBe(false);
    expect(progress.of('toString')).toBeUndefined();
  });

  test('what another tab writes meanwhile stays', () => {
    const storage = memory();
    const [one, other] = [createProgress(storage), createProgress(storage)];
    one.taskDone('ddp', 'a');
    other.taskDone('ddp', 'b');
    expect([...(one.of('ddp')?.tasks ?? [])]).toEqual(['a', 'b']);
  });

  test('if nothing can be stored, the page remembers it until it is closed', () => {
    const full = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    const progress = createProgress({ getItem: () => null, setItem: full });
    expect(() => progress.taskDone('ddp', 'a')).not.toThrow();
    const none = createProgress(undefined);
    none.taskDone('ddp', 'a');
    expect(none.of('ddp')?.tasks.has('a')).toBe(true);
  });

  test('a browser that refuses the storage has none', () => {
    const page = {
      get localStorage(): Storage {
        throw new DOMException('no', 'SecurityError');
      },
    };
    expect(storageOf(page)).toBeUndefined();
  });
});
