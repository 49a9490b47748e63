import { placeInBrowser } from '../scripts/tier';
import { expect, IN_MOTION, test } from './playground';

test.use(IN_MOTION);

test(
  'the spiral reaches 95 % accuracy within the time that a visitor watches',
  placeInBrowser({ rest: 'it trains for long; that a loss falls is in modes.spec.ts' }),
  async ({ playground }) => {
    await playground.open('seed=0&data=spiral&mode=ddp&world=4&device=cpu');
    await playground.button('Play').click();
    await expect.poll(() => playground.number('Train accuracy'), { timeout: 75_000 }).toBeGreaterThanOrEqual(95);
    await playground.button('Pause').click();
  },
);
