import { placeInBrowser } from '../scripts/tier';
import { expect, type ModeName, TINY, test } from './playground';

test(
  'switching the mode keeps seed, data and initial weights',
  placeInBrowser({ rest: 'app/edit/mode-changes.test.ts changes modes, and modes.spec.ts opens one after another' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&data=circle&seed=7&shuffle=0&mode=single&device=cpu`);
    await playground.iterate(1);
    await expect.poll(() => playground.number('Step')).toBe(1);
    const first = await playground.number('Loss');
    for (const name of [
      'DataParallel',
      'Parameter server',
      'Model parallel',
      'DistributedDataParallel',
      'Single',
    ] satisfies ModeName[]) {
      await playground.choose(name);
      expect(playground.hash()).toContain('seed=7');
      expect(playground.hash()).toContain('data=circle');
      await playground.iterate(1);
      await expect.poll(() => playground.number('Step')).toBe(1);
      // The ranks of DDP share all 32 rows, and one device uses the first 16: another batch, another loss.
      if (name !== 'DistributedDataParallel') await expect.poll(() => playground.number('Loss')).toBeCloseTo(first, 4);
    }
  },
);

test(
  'the world size is a slider that the keyboard moves',
  placeInBrowser({ rest: 'accessibility.spec.ts works every control by keyboard' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
    await playground.worldSize().focus();
    await playground.page.keyboard.press('ArrowRight');
    await expect.poll(() => playground.hash()).toMatch(/world=3/);
    await expect(playground.button('Play')).toBeEnabled();
    await playground.iterate(1);
    await expect.poll(() => playground.number('Step')).toBe(1);
  },
);
