/**
 * The palette for the canvases: the CSS variables of theme.css, read once per change of theme. `resolveTheme` turns the
 * setting into the theme that is shown; `readPalette` needs `data-theme` on the root element.
 * The scale for values is one for the whole page: negative orange, zero paper, positive blue.
 */
import { MEMORY_CATEGORIES, type MemoryCategory, type Payload } from '../../protocol/trace';
import { hexRgb, linearRamp } from './scales';

/** The user's choice of theme. */
export type Theme = 'light' | 'dark' | 'system';

export type PhaseColour = 'forward' | 'loss' | 'backward' | 'comm' | 'step' | 'move';

export interface Palette {
  readonly dark: boolean;
  readonly paper: string;
  readonly card: string;
  readonly ink: string;
  /** Secondary text. */
  readonly soft: string;
  readonly line: string;
  readonly hair: string;
  /** The ground of an empty lane or bar. */
  readonly track: string;
  readonly accent: string;
  readonly onAccent: string;
  readonly warn: string;
  readonly bad: string;
  readonly sans: string;
  readonly mono: string;
  /** The hues of ranks or devices, 8 of them. */
  readonly ranks: readonly string[];
  readonly payload: Readonly<Record<Payload, string>>;
  /** 'move' is scatter, replicate, gather and loading; 'comm' is communication that nothing hides. */
  readonly phase: Readonly<Record<PhaseColour, { readonly fill: string; readonly edge: string }>>;
  readonly memory: Readonly<Record<MemoryCategory, string>>;
  /** CSS colour of a value scaled to -1..1; values outside are clamped, NaN is `bad`. */
  readonly diverging: (value: number) => string;
  /** The same scale as RGBA bytes, 256 entries from -1 to 1, for ImageData. */
  readonly divergingRgba: Uint8ClampedArray;
}

const ENTRIES = 256;
const PHASES: readonly PhaseColour[] = ['forward', 'loss', 'backward', 'comm', 'step', 'move'];
const PAYLOADS: readonly Payload[] = ['data', 'activation', 'gradient', 'parameter'];

export function resolveTheme(theme: Theme, systemIsDark: boolean): 'light' | 'dark' {
  if (theme === 'system') return systemIsDark ? 'dark' : 'light';
  return theme;
}

/** On a dark background small values would look black, so colours leave the middle sooner there. */
const DARK_POWER = 0.6;

/** A ramp from -1 to 1 through the middle colour. */
const rampOf = (ends: readonly string[], dark: boolean) => {
  const ramp = linearRamp(ends.map(hexRgb));
  return (value: number) => ramp(((dark ? Math.sign(value) * Math.abs(value) ** DARK_POWER : value) + 1) / 2);
};

const rgbBytes = (colour: string): readonly number[] =>
  (colour.match(/[\d.]+/g) ?? ['0', '0', '0']).slice(0, 3).map(Number);

export function readPalette(root: Element): Palette {
  const style = getComputedStyle(root);
  return paletteOf((name) => style.getPropertyValue(`--${name}`).trim(), root.getAttribute('data-theme') === 'dark');
}

/** From the variables of theme.css, by their names. */
export function paletteOf(read: (name: string) => string, dark: boolean): Palette {
  const record = <K extends string, V>(keys: readonly K[], value: (key: K) => V) =>
    Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
  const ends = [read('value-negative'), read('value-zero'), read('value-positive')];
  const ramp = rampOf(ends, dark);
  const colours = Array.from({ length: ENTRIES }, (_, i) => ramp((2 * i) / (ENTRIES - 1) - 1));
  const bad = read('bad');
  const divergingRgba = new Uint8ClampedArray(ENTRIES * 4);
  for (const [i, colour] of colours.entries()) divergingRgba.set([...rgbBytes(colour), 255], i * 4);
  return {
    dark,
    paper: read('paper'),
    card: read('card'),
    ink: read('ink'),
    soft: read('soft'),
    line: read('line'),
    hair: read('hair'),
    track: read('track'),
    accent: read('accent'),
    onAccent: read('on-accent'),
    warn: read('warn'),
    bad,
    sans: read('sans'),
    mono: read('mono'),
    ranks: Array.from({ length: 8 }, (_, rank) => read(`rank-${rank}`)),
    payload: record(PAYLOADS, (payload) => read(`payload-${payload}`)),
    phase: record(PHASES, (phase) => ({ fill: read(`phase-${phase}`), edge: read(`phase-${phase}-edge`) })),
    memory: record(MEMORY_CATEGORIES, (category) => read(`memory-${category}`)),
    diverging: (value) => {
      const index = Math.round(((Math.min(Math.max(value, -1), 1) + 1) / 2) * (ENTRIES - 1));
      return colours[index] ?? bad;
    },
    divergingRgba,
  };
}
