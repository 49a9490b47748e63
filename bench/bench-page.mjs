/**
 * One open page of the benchmark: calls the page's functions, each with a time limit, and closes a page that exceeds
 * the limit.
 */

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
  // When the page is closed below, the pending call fails; nobody needs its error.
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

/** The first line of the error, without the text that Playwright adds. @param {unknown} error */
export function sentence(error) {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return line.replace(/^page\.evaluate: /, '').replace(/^(Error: )+/, '');
}
