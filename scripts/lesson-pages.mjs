/** The files of each lesson page that are loaded before the reader is near a figure, read from dist/ itself. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @param {string} dist @returns {{name: string, files: string[]}[]} paths inside dist */
export function lessonPages(dist) {
  const learn = path.join(dist, 'learn');
  return readdirSync(learn)
    .filter((file) => file.endsWith('.html'))
    .map((file) => {
      const html = readFileSync(path.join(learn, file), 'utf8');
      const linked = [...html.matchAll(/<(?:link rel="stylesheet" href|img src|script type="module" src)="([^"]+)"/g)];
      const files = linked.map(([, url = '']) => path.posix.join('learn', url));
      return { name: file.replace(/\.html$/, ''), files: [`learn/${file}`, ...files] };
    });
}
