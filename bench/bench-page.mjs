/** One open page of the bench: calls its functions, each within a time limit; a page that exceeds it is closed. */

/** @typedef {import('playwright-core').Page} Page */

/** @param {import('playwright-core').Browser} browser @param {string} url */
export async function openBenchPage(browser, url) {
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForFunction(() => 'bench' in globalThis);
  return page;
}

/**
 * @param {Page} page
 * @param {string} method
 * @param {unknown[]} args
 * @param {number} limitMs
 * @param {string} [what] for the message
 * @returns {Promise<any>}
 */
export async function callPage(page, method, args, limitMs, what = method) {
  const call = page.evaluate(
    ([name, list]) =>
      Reflect.get(globalThis, 'bench')[/** @type {string} */ (name)](.../** @type {unknown[]} */ (list)),
    [method, args],
  );
  // When the page closes below, the call fails unheard.
  call.catch(() => {});
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** The first line of what went wrong, without Playwright's words around it. @param {unknown} error */
export function sentence(error) {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return line.replace(/^page\.evaluate: /, '').replace(/^(Error: )+/, '');
}
