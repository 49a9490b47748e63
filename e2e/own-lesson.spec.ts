/**
 * The sample page for teachers: three figures in their own frames, and a task that is ticked when the run's message
 * says so.
 */
import { placeInBrowser } from '../scripts/tier';
import { expect, test } from './playground';

test(
  'three figures begin when they are in view, and the task is ticked when the run reaches its goal',
  placeInBrowser({ rest: 'embeds.spec.ts embeds the page, and a task is ticked off in lessons.spec.ts' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto('./examples/own-lesson.html');
    const replicas = page.frameLocator('iframe[title="Four replicas"]');
    await expect(replicas.getByRole('img', { name: /^4 devices/ })).toBeVisible();
    await page.getByTitle('The ring').scrollIntoViewIfNeeded();
    await expect(
      page
        .frameLocator('iframe[title="The ring"]')
        .getByText(/Round 1 of 6/)
        .first(),
    ).toBeVisible();
    const frame = page.getByTitle('Buckets', { exact: true });
    await frame.scrollIntoViewIfNeeded();
    const done = page.getByRole('checkbox');
    await expect(page.locator('output')).toHaveText('Hidden now: 0 %');
    await expect(done).not.toBeChecked();
    const cap = page.frameLocator('iframe[title="Buckets"]').getByLabel('Bucket cap').first();
    await cap.fill('0.015625');
    await cap.press('Enter');
    await page.frameLocator('iframe[title="Buckets"]').getByRole('button', { name: 'Play', exact: true }).click();
    await expect(done).toBeChecked();
  },
);
