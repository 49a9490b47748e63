/** The colours of the light theme as theme.css has them, for tests that paint. */
import { readFileSync } from 'node:fs';
import { type Palette, paletteOf } from '../shell/theme';

const css = readFileSync(new URL('../shell/theme.css', import.meta.url), 'utf8');
const variables = new Map(
  [...css.matchAll(/--([a-z0-9-]+):\s*([^;]+);/g)]
    .reverse()
    .map(([, name = '', value = '']) => [name, value.trim()] as const),
);

/** Of a variable that both themes have, the first one. */
export const palette: Palette = paletteOf((name) => variables.get(name) ?? '', false);
