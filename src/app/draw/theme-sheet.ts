/**
 * The colours of both themes, read from the text of theme.css: for pictures of the lessons, which are painted at build,
 * and for tests that paint. Pure.
 */
import { type Palette, paletteOf } from './theme';

export type ThemeName = 'light' | 'dark';

export interface ThemeColours {
  /** Variables of the style sheet by their names, without the hyphens in front. */
  readonly variables: ReadonlyMap<string, string>;
  readonly palette: Palette;
}

export type Themes = Readonly<Record<ThemeName, ThemeColours>>;

const RULES = { light: ':root', dark: ':root[data-theme="dark"]' } as const;

/** The text between the braces of a theme's rule. */
export function ruleOf(css: string, theme: ThemeName): string {
  const start = css.indexOf(`${RULES[theme]} {`);
  if (start < 0) throw new Error(`theme.css has no rule ${RULES[theme]}.`);
  return css.slice(css.indexOf('{', start) + 1, css.indexOf('}', start));
}

/** `css`: the text of app/draw/theme.css. */
export function readThemes(css: string): Themes {
  const declared = (theme: ThemeName) =>
    [...ruleOf(css, theme).matchAll(/--([a-z0-9-]+):\s*([^;]+);/g)].map(
      ([, name = '', value = '']) => [name, value.trim()] as const,
    );
  const coloursOf = (theme: ThemeName, variables: ReadonlyMap<string, string>): ThemeColours => ({
    variables,
    palette: paletteOf((name) => variables.get(name) ?? '', theme === 'dark'),
  });
  const light = declared('light');
  return {
    light: coloursOf('light', new Map(light)),
    dark: coloursOf('dark', new Map([...light, ...declared('dark')])),
  };
}
