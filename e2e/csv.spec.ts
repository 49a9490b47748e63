import { placeInBrowser } from '../scripts/tier';
import { expect, type Playground, TINY, test } from './playground';

const rows = Array.from({ length: 24 }, (_, index) => {
  const x = Math.sin(index);
  const y = Math.cos(3 * index);
  return `${x.toFixed(4)},${y.toFixed(4)},${x + y > 0 ? 1 : 0}`;
});

async function drop(playground: Playground, name: string, text: string): Promise<void> {
  const transfer = await playground.page.evaluateHandle(
    ([fileName, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content ?? ''], fileName ?? '', { type: 'text/csv' }));
      return data;
    },
    [name, text],
  );
  for (const type of ['dragenter', 'dragover', 'drop'])
    await playground.page.dispatchEvent('main', type, { dataTransfer: transfer });
}

test('a dropped CSV becomes the data', async ({ playground }) => {
  await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
  await drop(playground, 'mine.csv', ['a,b,class', ...rows].join('\n'));
  await expect(playground.page.getByText('mine.csv').first()).toBeVisible();
  await expect(playground.button('Play')).toBeEnabled();
  await playground.iterate(2);
  await expect.poll(() => playground.number('Step')).toBe(2);
  await expect.poll(() => playground.number('Loss')).toBeGreaterThan(0);
});

test(
  'a bad row is named with its line, and the earlier data stays',
  placeInBrowser({ rest: 'data/readers names rows and lines' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
    await drop(playground, 'broken.csv', ['a,b,class', ...rows.slice(0, 5), '1,apple,0', ...rows.slice(5)].join('\n'));
    await expect(playground.notice(/line 7/)).toBeVisible();
    await playground.iterate(1);
    await expect.poll(() => playground.number('Step')).toBe(1);
  },
);
