/**
 * SVG as text, in the colours of the theme: drawings are made of these at build and in the browser. An element with a
 * `key` moves to its place in the next drawing (live/drawing/tween.ts). No inline styles: the page's policy refuses
 * them.
 */

type Attributes = Readonly<Record<string, string | number | undefined>>;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const rounded = (value: string | number): string =>
  typeof value === 'number' ? String(Math.round(100 * value) / 100) : escaped(value);

const written = (attributes: Attributes): string =>
  Object.entries(attributes)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [` ${name === 'key' ? 'data-key' : name}="${rounded(value)}"`],
    )
    .join('');

export const shape = (name: 'rect' | 'line' | 'circle' | 'path', attributes: Attributes): string =>
  `<${name}${written(attributes)}/>`;

export const text = (words: string, attributes: Attributes): string =>
  `<text${written({ 'font-size': 12.5, fill: 'var(--ink)', ...attributes })}>${escaped(words)}</text>`;

interface Frame {
  readonly width: number;
  readonly height: number;
  /** What screen readers read in place of the picture. */
  readonly label: string;
  /** 'group': it has buttons (below), which are read out one by one. */
  readonly role?: 'img' | 'group';
}

export const svg = ({ width, height, label, role = 'img' }: Frame, ...children: readonly string[]): string =>
  `<svg class="drawn" viewBox="0 0 ${rounded(width)} ${rounded(height)}" width="${rounded(width)}" height="${rounded(height)}" role="${role}" aria-label="${escaped(label)}">${children.join('')}</svg>`;

interface ButtonOf {
  /** Keeps the focus when the picture is drawn again. */
  readonly key: string;
  readonly label: string;
  readonly pressed?: boolean;
  /** The setting that a press changes, and to what. */
  readonly sets: readonly [key: string, value: string];
  /** A pointer that is held down presses every button with `paints` that it passes. */
  readonly paints?: boolean;
}

/** A part of a live drawing that is pressed like a button. Without a script, presses do nothing. */
export const pressable = ({ key, label, pressed, sets: [setting, value], paints }: ButtonOf, ...children: string[]) => {
  const attributes = written({
    ...{ 'data-press': key, 'data-set': setting, 'data-to': value, 'aria-label': label },
    'data-paints': paints ? 'true' : undefined,
    'aria-pressed': pressed === undefined ? undefined : String(pressed),
  });
  return `<g role="button" tabindex="0"${attributes}>${children.join('')}</g>`;
};

/** Estimated width of a text in the page's sans-serif font: the build has no browser to measure it. */
export const widthOf = (words: string, size = 12.5): number => 0.55 * size * words.length;
