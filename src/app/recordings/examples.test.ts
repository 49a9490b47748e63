/** The examples are the recordings that the tests and the lesson on traces read, with names for links. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXAMPLE_IDS } from '../permalink/recording-link';
import { EXAMPLES } from './examples';

const FIXTURE = {
  ...{ 'slow-rank': 'ddp4-slow2', 'small-kernels': 'small2', exposed: 'exposed2' },
  ...{ 'gpu-busy': 'cuda-ahead', 'gpu-idle': 'cuda-small' },
} as const;
const here = (path: string): URL => new URL(`../../../${path}`, import.meta.url);

test.for(EXAMPLE_IDS)('%s: every file lies beside the page, and is the fixture', (id) => {
  const { files } = EXAMPLES[id];
  expect(readdirSync(here(`public/examples/recordings/${id}`)).sort()).toEqual(files);
  for (const name of files) {
    const served = readFileSync(here(`public/examples/recordings/${id}/${name}`));
    expect(served.equals(readFileSync(here(`src/recordings/fixtures/${FIXTURE[id]}/${name}`)))).toBe(true);
  }
});
