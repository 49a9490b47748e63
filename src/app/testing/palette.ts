/** The colours of the light theme, for tests that paint. */
import { readFileSync } from 'node:fs';
import type { Palette } from '../draw/theme';
import { readThemes } from '../draw/theme-sheet';

const css = readFileSync(new URL('../draw/theme.css', import.meta.url), 'utf8');

export const palette: Palette = readThemes(css).light.palette;
