/**
 * Panels that are loaded when they are first opened, and cannot be loaded: there is no connection, or a new version has
 * replaced the site.
 */

import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;
const LOST =
  /Failed to load resource|ERR_INTERNET_DISCONNECTED|ERR_FAILED|404|not-loaded|could not be fetched|The above error/;

test(
  'offline: the panel says that it cannot be loaded, training continues, and the panel appears when the connection is back',
  placeInBrowser({ rest: 'a button that does not come takes the same way' }),
  async ({ playground, context }) => {
    const { page } = playground;
    playground.provokes(LOST);
    await playground.open(RUN);
    await playground.fetched();
    await context.setOffline(true);
    await page
      .getByText(/^Buckets/)
      .first()
      .click();
    const alert = playground.broken('The bucket view');
    await expect(alert).toContainText('The site cannot be reached.');
    await page.getByText('Memory, tensor by tensor').click();
    await expect(playground.broken('The memory tree')).toBeVisible();
    await playground.playUntilStep(3);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect(alert).toContainText('The site cannot be reached.');
    // Missing parts, such as the loss chart, then appear by themselves.
    await context.setOffline(false);
    await expect(page.getByRole('region', { name: 'Buckets of the step' })).toBeVisible();
    await expect(page.getByRole('treegrid', { name: /^Memory/ })).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
    expect(await playground.number('Step')).toBeGreaterThanOrEqual(3);
  },
);

test('if a button cannot be loaded, a button of the same size tries again', async ({ playground }) => {
  const { page } = playground;
  playground.provokes(LOST);
  const code = /assets\/save-picture-[\w-]+\.js/;
  await page.route(code, (route) => route.abort());
  await playground.open(RUN);
  const again = playground
    .region('Timeline')
    .getByRole('button', { name: 'The button that saves a picture could not be fetched. Try again' });
  await expect(again).toBeVisible();
  const { width = 0, height = 0 } = (await again.boundingBox()) ?? {};
  expect(Math.max(width, height)).toBeLessThanOrEqual(32);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.unroute(code);
  await again.click();
  await expect(playground.button('Save picture of the timeline')).toBeVisible();
});

test('after one step the plot has a point for the loss of each rank and for their mean', async ({ playground }) => {
  const { page } = playground;
  await playground.open('device=cpu&compare=0&world=4');
  const chart = playground.region('Result').locator('figure').filter({ hasText: 'mean' });
  await expect(chart.locator('[data-mean]')).toHaveCount(1);
  await expect(chart.locator('[data-rank]')).toHaveCount(4);
  // At the first of ten steps, at the height of the loss on the axis.
  const [at, axes] = await Promise.all([
    chart.locator('[data-mean]').evaluate((point) => (point instanceof HTMLElement ? point.style.left : '')),
    page.locator('[data-mean]').evaluate((point) => getComputedStyle(point).position),
  ]);
  expect([at, axes]).toEqual(['10%', 'absolute']);
});

test(
  'the axes of the losses stay until the code that draws the curve is loaded',
  placeInBrowser({ rest: 'the curve itself is drawn in stepping.spec.ts' }),
  async ({ playground }) => {
    const { page } = playground;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/assets\/loss-plot-view-[\w-]+\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await playground.open(RUN);
    // The curve's own axes are drawn, not written as text.
    const lastStep = playground.region('Result').getByText('10', { exact: true });
    const asked = page.waitForRequest(/loss-plot-view/);
    await playground.iterate(2);
    await asked;
    await expect(lastStep).toBeVisible();
    release();
    await expect(lastStep).toHaveCount(0);
  },
);

const STYLES = '**/assets/*.css';

test(
  'a view whose styles fail to load at first gets them at the second try',
  placeInBrowser({ rest: 'a button that does not come takes the same way' }),
  async ({ playground }) => {
    const { page } = playground;
    playground.provokes(LOST);
    let comes = false;
    // The lab shares a style sheet with other panels, whatever its file is called: it has packets that follow a path.
    await page.route(STYLES, async (route) => {
      const response = await route.fetch();
      if (!comes && (await response.text()).includes('offset-distance')) await route.abort();
      else await route.fulfill({ response });
    });
    await playground.open(RUN);
    await playground.button('Lab').click();
    const lab = page.getByRole('dialog', { name: 'Collectives lab' });
    await expect(lab.getByRole('alert')).toContainText('The lab could not be fetched.');
    comes = true;
    await lab.getByRole('button', { name: 'Try again' }).click();
    await expect(lab.getByRole('status', { name: 'Round shown' })).toHaveText('start');
    // Laid out as a grid only if its styles are loaded.
    await expect(lab.getByRole('heading', { level: 1 }).locator('..')).toHaveCSS('display', 'grid');
  },
);

test(
  'a view waits for styles that another panel loads again, and says so if they cannot be loaded',
  placeInBrowser({ rest: 'a button that does not come takes the same way' }),
  async ({ playground }) => {
    const { page } = playground;
    playground.provokes(LOST);
    let fail = () => {};
    const held = new Promise<void>((resolve) => {
      fail = resolve;
    });
    let tries = 0;
    const again = page.waitForRequest((request) => request.url().endsWith('.css') && tries > 0);
    await page.route(STYLES, async (route) => {
      const response = await route.fetch();
      if (!(await response.text()).includes('offset-distance')) return route.fulfill({ response });
      tries++;
      if (tries > 1) await held;
      await route.abort();
    });
    await playground.open(RUN);
    await playground.broken('The stage').getByRole('button', { name: 'Try again' }).click();
    await again;
    const code = page.waitForResponse(/assets\/lab-[\w-]+\.js/);
    await playground.button('Lab').click();
    await (await code).finished();
    fail();
    const lab = page.getByRole('dialog', { name: 'Collectives lab' });
    await expect(lab.getByRole('alert')).toContainText('The lab could not be fetched.');
  },
);

test(
  'a dialog whose content cannot be loaded can be closed',
  placeInBrowser({ rest: 'a button that does not come takes the same way' }),
  async ({ playground, context }) => {
    const { page } = playground;
    playground.provokes(LOST);
    await playground.open(RUN);
    await playground.fetched();
    await context.setOffline(true);
    for (const [button, name] of [
      ['Lab', 'Collectives lab'],
      ['Bugs', 'Bugs on purpose'],
      ['Save', 'Checkpoints'],
    ] as const) {
      await playground.button(button).click();
      const dialog = page.getByRole('dialog', { name });
      await expect(dialog.getByRole('alert')).toContainText('could not be fetched');
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    }
    await context.setOffline(false);
    await playground.iterate(1);
  },
);

test('the site was replaced: the panel says so, and Reload gets the new version with the settings kept', async ({
  playground,
}) => {
  const { page } = playground;
  playground.provokes(LOST);
  await playground.open(RUN);
  await playground.field('Batch, all ranks').fill('8');
  await playground.field('Batch, all ranks').press('Enter');
  await expect.poll(() => playground.hash()).toContain('batch=8');
  // As after a deployment: index.html names other files, and the old files are gone.
  await page.route('**/assets/**', (route) => route.fulfill({ status: 404, body: 'not found' }));
  await page.route(/\/some\/folder\/$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replaceAll('/index-', '/index-next-') });
  });
  await page
    .getByText(/^Buckets/)
    .first()
    .click();
  const alert = playground.broken('The bucket view');
  await expect(alert).toContainText('A new version of Lockstep is out');
  await playground.iterate(1);
  await page.unrouteAll({ behavior: 'wait' });
  await alert.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(playground.field('Batch, all ranks')).toHaveValue('8');
  await page
    .getByText(/^Buckets/)
    .first()
    .click();
  await expect(page.getByRole('region', { name: 'Buckets of the step' })).toBeVisible();
});

test(
  'a training worker that cannot be loaded is not reported as a bug, and Restart loads it again',
  placeInBrowser({ rest: 'where.spec.ts ends a worker' }),
  async ({ playground }) => {
    const { page } = playground;
    playground.provokes(LOST);
    await page.route('**/assets/worker-*.js', (route) => route.abort());
    await page.goto(`./#${RUN}`);
    await expect(playground.notice('The training worker could not be fetched.')).toBeVisible();
    await page.unrouteAll({ behavior: 'wait' });
    await playground.button('Restart').click();
    await expect(playground.button('Play')).toBeEnabled();
    await playground.iterate(1);
  },
);

test('a dialog opens with the focus at its top, and Tab then reaches its first control', async ({ playground }) => {
  const { page } = playground;
  await playground.open(RUN);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeFocused();
  await page.keyboard.press('Escape');
  await playground.button('Bugs').click();
  const bugs = page.getByRole('dialog', { name: 'Bugs on purpose' });
  await expect(bugs).toBeFocused();
  await expect(bugs.getByRole('listitem').first()).toBeInViewport();
  await page.keyboard.press('Tab');
  await expect(bugs.getByRole('listitem').first().getByRole('button')).toBeFocused();
});

test(
  'a fold at the bottom of a panel scrolls into view when a key opens it',
  placeInBrowser({ rest: 'a dialog is reached by keyboard in the quick tier' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    await page.getByText('Memory, tensor by tensor').press('Enter');
    const rows = page.getByRole('treegrid', { name: /^Memory/ }).getByRole('row');
    await expect(rows.nth(1)).toBeInViewport({ ratio: 1 });
  },
);
