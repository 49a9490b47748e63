/** `npm start`: the same page and lessons as the built site, from the sources. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { freePort } from '../scripts/free-port.mjs';
import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

test(
  'the development server has the playground, lessons that run, and the list of all of them',
  placeInBrowser({ rest: 'whoever develops sees at once that it is broken' }),
  async ({ playground }) => {
    // Nothing is bundled: the page loads hundreds of modules, and the server renders the pages of lessons on request.
    test.setTimeout(400_000);
    const { page } = playground;
    const port = await freePort();
    const server = spawn(process.execPath, ['scripts/start.mjs'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const site = await addressOf(server.stdout);
      const slowly = { timeout: 90_000 };
      await page.goto(`${site}/#${TINY}&mode=ddp&world=2&device=cpu`, slowly);
      await expect(playground.button('Play')).toBeEnabled(slowly);
      // Paused again, because a run would use one core while the lesson is rendered.
      await playground.playUntilStep(1);

      // The server renders the first lesson from its sources, and trains its runs: a minute on two busy cores.
      await page.goto(`${site}/learn/all-reduce.html`, { timeout: 150_000 });
      const ring = page.locator('figure[data-figure="ring"]');
      await ring.scrollIntoViewIfNeeded();
      await expect(ring).toHaveAttribute('data-live', /playing|rest/, slowly);

      await page.goto(`${site}/learn/`, slowly);
      const lessons = page.locator('main ol.wall > li:has(a)');
      expect(await lessons.count()).toBeGreaterThan(10);
      for (const lesson of await lessons.all())
        await expect(lesson.locator('p').first()).toHaveText(/Afterwards you can \w/);
      await page.goto(`${site}/learn/teach.html`, slowly);
      expect(await page.getByText('Hint and solution').count()).toBeGreaterThan(20);
    } finally {
      server.kill();
    }
  },
);

/** The address that `npm start` prints: if another process has taken the port meanwhile, it is the next port. */
const addressOf = (output: Readable): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    output.on('data', (chunk) => {
      said += stripVTControlCharacters(String(chunk));
      const [, address] = /(http:[/][/]localhost:\d+)[\s\S]*Stop it with/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    output.on('end', () => reject(new Error(`npm start ended and said: ${said}`)));
  });
