import { expect, test } from 'vitest';
import { runConfig } from '../headless/run';
import { reportText } from './report-text';

test.each([1, 1000, 1001])(
  'a report of %i steps is the JSON that JSON.stringify writes, a step a line',
  async (steps) => {
    const { report } = await runConfig({ device: 'cpu', steps, data: { type: 'xor', samples: 8 } }, {});
    const text = [...reportText(report)].join('');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(report)));
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(report));
    expect(text.match(/^ {4}\{"step":/gm)).toHaveLength(steps);
  },
);

test('a report without steps', async () => {
  const { report } = await runConfig({ device: 'cpu', steps: 1 }, {});
  expect(JSON.parse([...reportText({ ...report, losses: [] })].join(''))).toMatchObject({ losses: [] });
});
