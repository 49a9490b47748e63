/** Serves the site with the two headers that isolate a page, which `npm start` sends and another host may send. */
import type { Page } from '@playwright/test';

const HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** From the next navigation on, the page may share memory between its workers. */
export async function isolate(page: Page): Promise<void> {
  await page.context().route('**/*', async (route) => {
    try {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), ...HEADERS } });
    } catch (error) {
      // At the end of a test the page closes while a file is on its way.
      if (!page.isClosed() && !/disposed|closed/.test(String(error))) throw error;
    }
  });
  await page.goto('about:blank');
}
