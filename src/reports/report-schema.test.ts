/** Every part of the schema has its own message, so that valibot's messages never reach a user. */
import { expect, test } from 'vitest';
import { reportSchema } from './report-schema';

interface Part {
  readonly type: string;
  readonly message?: unknown;
  readonly [key: string]: unknown;
}
const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema' && 'type' in value;
/** These pass on errors from inside, or accept anything. */
const WORDLESS = new Set(['optional', 'nullable', 'unknown']);

function wordless(part: Part, place: string): readonly string[] {
  const inner = Object.entries(part).flatMap(([key, value]): readonly string[] => {
    // The keys of an object are always texts.
    if (key === 'key') return [];
    if (isPart(value)) return wordless(value, `${place}.${key}`);
    if (key === 'entries' || key === 'options' || key === 'pipe')
      return Object.entries(value as object).flatMap(([name, of]) =>
        isPart(of) ? wordless(of, `${place}.${name}`) : [],
      );
    return [];
  });
  return [...(part.message === undefined && !WORDLESS.has(part.type) ? [`${place} (${part.type})`] : []), ...inner];
}

test('every part of a report has a text that says what it must be', () => {
  expect(wordless(reportSchema as unknown as Part, 'report')).toEqual([]);
});
