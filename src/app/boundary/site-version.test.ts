/** The version that index.html names; e2e/panels.spec.ts replaces a real site. */
import { expect, test } from 'vitest';
import { versionIn } from './site-version';

const page = (entry: string) =>
  `<!doctype html><title>Lockstep</title><script type="module" crossorigin src="./assets/${entry}"></script>`;

test('the running version, another version, and an answer of another site', () => {
  expect(versionIn(page('index-A1.js'), './assets/index-A1.js')).toBe('same');
  expect(versionIn(page('index-A1.js'), 'https://example.org/some/folder/assets/index-A1.js?x=1')).toBe('same');
  expect(versionIn(page('index-B2.js'), './assets/index-A1.js')).toBe('newer');
  expect(versionIn('<title>Log in to the network</title><script src="x.js"></script>', './assets/index-A1.js')).toBe(
    'unknown',
  );
  expect(versionIn('<title>Lockstep</title> is being updated', './assets/index-A1.js')).toBe('unknown');
  expect(versionIn('', '')).toBe('unknown');
});

test('the page that the development server serves', () => {
  const html = '<title>Lockstep</title><script type="module" src="./src/app/main.tsx"></script>';
  expect(versionIn(html, './src/app/main.tsx')).toBe('same');
});
