/** Numbers in the prose and in formulas, read from runs; and quantities that the reader is given. */
import type { ReactNode } from 'react';
import { lookup } from '../../base/lookup';
import { formatOf } from '../facts/quantities';
import type { Format } from '../facts/write';
import type { AskedValue, Changes, ValueOf } from '../lesson';
import { drawnText, textOf, usePage } from './context';
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

/** Live it follows its figure, unless `with` says which run is meant. */
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

/** A value of a drawing; live it follows the knobs, unless `with` says which settings are meant. */
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

/** A quantity that the lesson gives: it is no result of a run. */
export const Given = ({ children }: { children: ReactNode }) => <span className="given">{children}</span>;

interface FormulaProps {
  readonly tex: string;
  /** What stands for `\value{NAME}` in it. */
  readonly values?: Readonly<Record<string, ValueProps>>;
  /** In a line of its own. */
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
  // KaTeX repeats the text of the formula beside it; there a value cannot be.
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
      // A long one scrolls.
      {...(block ? { tabIndex: 0, role: 'group', 'aria-label': 'Formula' } : {})}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: made by KaTeX from the lesson's own text
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
