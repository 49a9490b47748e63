import * as v from 'valibot';
import { expect, it } from 'vitest';
import { configSchema } from '../../protocol/config';
import { parseGroups, printGroups } from './group-text';

it('reads what it prints', () => {
  const paramGroups = [
    { match: '*.bias', weightDecay: 0, nesterov: true },
    { match: 'blocks.*', lr: 0.01 },
  ];
  const config = v.parse(configSchema, { paramGroups });
  const text = printGroups(config.paramGroups);
  expect(text).toBe('*.bias weightDecay 0 nesterov true; blocks.* lr 0.01');
  expect(parseGroups(text)).toEqual(paramGroups);
  expect(parseGroups(printGroups([]))).toEqual([]);
});

it('leaves text that is not such a list to the schema, which refuses it', () => {
  for (const text of ['*.bias lr', '*.bias speed 2', 'a lr fast']) {
    expect(v.safeParse(configSchema, { paramGroups: parseGroups(text) }).success).toBe(false);
  }
});
