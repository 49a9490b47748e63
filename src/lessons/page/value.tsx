/** Numbers in the prose and in formulas, read from runs; and quantities that the text gives. */
import type { ReactNode } from 'react';
import { lookup } from '../../base/lookup';
import { formatOf } from '../facts/quantities';
import type { Format } from '../facts/write';
import type { AskedValue, Changes, ValueOf } from '../lesson';
import { drawnText, textOf, usePage } from './lesson-context';
import { mathOf } from './math';

interface ValueProps extends AskedValue {
  readonly format?: Format;
}

const dataOf = ({ of, figure, with: changes, format }: ValueProps) => ({
  'data-value': of,
  'data-figure': figure,
  'data-format': format ?? formatOf(of),
  ...(changes ? { 'data-with': JSON.stringify(changes) } : {}),
});

/** In a live page the value follows its figure, unless `with` selects a run. */
export function Value(props: { of: ValueOf; figure: string; with?: Changes; format?: Format }) {
  const page = usePage();
  return (
    <span className="value" {...dataOf(props)}>
      {textOf(page, props, props.format)}
    </span>
  );
}

interface DrawnValueProps {
  readonly of: string;
  readonly drawing: string;
  readonly with?: Changes;
  readonly format?: Format;
}

/** A value of a drawing; in a live page it follows the knobs, unless `with` selects settings. */
export function Drawn({ of, drawing, with: changes, format }: DrawnValueProps) {
  const page = usePage();
  const data = {
    'data-value': of,
    'data-drawing': drawing,
    ...(format ? { 'data-format': format } : {}),
    ...(changes ? { 'data-with': JSON.stringify(changes) } : {}),
  };
  return (
    <span className="value" {...data}>
      {drawnText(page, drawing, of, changes, format)}
    </span>
  );
}

/** A quantity that the lesson gives; it does not come from a run. */
export const Given = ({ children }: { children: ReactNode }) => <span className="given">{children}</span>;

interface FormulaProps {
  readonly tex: string;
  /** The values that replace `\value{NAME}` in the formula. */
  readonly values?: Readonly<Record<string, ValueProps>>;
  /** On a line of its own. */
  readonly block?: boolean;
}

const attributes = (data: Readonly<Record<string, string>>): string =>
  Object.entries(data)
    .map(([name, text]) => ` ${name}="${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`)
    .join('');

/** MathML, which browsers draw by themselves: no fonts, no styles. */
export function Formula({ tex, values = {}, block = false }: FormulaProps) {
  const page = usePage();
  const names = [...tex.matchAll(/\\value\{(\w+)\}/g)].map(([, name = '']) => name);
  const marked = tex.replaceAll(/\\value\{(\w+)\}/g, (_, name: string) => `\\text{@${name}@}`);
  // KaTeX repeats the formula's text in an annotation, which cannot contain a value.
  let html = mathOf(marked, block).replace(/<annotation[^>]*>.*<\/annotation>/s, '');
  for (const name of names) {
    const asked = lookup(values, name);
    if (!asked) throw new Error(`Lesson "${page.name}": the formula "${tex}" has no value "${name}".`);
    const text = `<mtext class="value"${attributes(dataOf(asked))}>${textOf(page, asked, asked.format)}</mtext>`;
    html = html.replace(`<mtext>@${name}@</mtext>`, text);
  }
  if (html.includes('@')) throw new Error(`Lesson "${page.name}": the formula "${tex}" has a value where none can be.`);
  const Tag = block ? 'p' : 'span';
  return (
    <Tag
      className={block ? 'formula-block' : 'formula'}
      // A long formula scrolls.
      {...(block ? { tabIndex: 0, role: 'group', 'aria-label': 'Formula' } : {})}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: made by KaTeX from the lesson's own text
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
