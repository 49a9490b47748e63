/** The colours of the light theme, for tests that paint. */
import { readFileSync } from 'node:fs';
import type { Palette } from '../shell/theme';
import { readThemes } from '../shell/theme-sheet';

const css = readFileSync(new URL('../shell/theme.css', import.meta.url), 'utf8');

export const palette: Palette = readThemes(css).light.palette;
