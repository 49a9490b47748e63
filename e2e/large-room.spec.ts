import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

const PICTURE = /^16 devices/;

test(
  'a small room opens large with mouse and keyboard, shows the next rank, and closes',
  placeInBrowser({ rest: 'large-room.test.ts lays the same room out without a browser' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${TINY}&data=gauss&mode=ddp&world=16&device=cpu`);
    const stage = playground.region('Stage');
    const picture = stage.getByRole('img', { name: PICTURE });
    const items = stage.getByRole('listbox', { name: 'Items on the stage' });
    const option = items.getByRole('option');
    /** The first item; the list changes a moment after the picture. */
    const first = async (text: RegExp) =>
      await expect(async () => {
        await items.focus();
        await page.keyboard.press('Home');
        await expect(option).toHaveText(text, { timeout: 1000 });
      }).toPass();
    /** While a large room is open, the list for the keyboard has only the items of the large room. */
    const isOpen = async (rank: number) => await first(new RegExp(`^rank ${rank}\\. press ×, Esc or outside it`));
    const allRooms = async () => await first(/press: shows this room large/);
    // Before the rooms are drawn, a click hits nothing.
    await allRooms();
    // With the mouse: the title of the first room, then the button to the next rank, then ×.
    await picture.click({ position: { x: 30, y: 12 } });
    await isOpen(0);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await expect(option).toHaveText(/^rank 1\. press: shows that room large/);
    await page.keyboard.press('Enter');
    await isOpen(1);
    await page.keyboard.press('End');
    await expect(option).toHaveText(/^Close/);
    await page.keyboard.press('Enter');
    await allRooms();
    // With the keyboard, and Esc.
    await page.keyboard.press('Enter');
    await isOpen(0);
    await page.keyboard.press('Escape');
    await allRooms();
  },
);
