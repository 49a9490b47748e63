/** Marked words in the text: terms with a definition, and things that have a colour in the figures. */
import type { ReactNode } from 'react';
import { EXHIBITS } from '../../museum/exhibits';
import { GLOSSARY, type TermId } from '../../protocol/words/glossary';
import { usePage } from './lesson-context';

/** Number of hues for ranks; further ranks repeat them. */
const RANK_HUES = 8;

const isTerm = (id: string): id is TermId => Object.hasOwn(GLOSSARY, id);
const anchorOf = (id: string): string => `term-${id.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '')}`;

export function Term({ id, children }: { id: string; children: ReactNode }) {
  const page = usePage();
  if (!isTerm(id)) throw new Error(`Lesson "${page.name}": the glossary has no term "${id}".`);
  page.terms.add(id);
  return (
    <button type="button" className="term" popoverTarget={anchorOf(id)}>
      {children}
    </button>
  );
}

/** The definitions of the terms in the text: popovers, and in print a list. */
export function Definitions({ terms }: { terms: ReadonlySet<TermId> }) {
  if (terms.size === 0) return null;
  return (
    <aside className="definitions" aria-label="Definitions">
      {[...terms].map((id) => (
        <p key={id} id={anchorOf(id)} popover="auto">
          <b>{id}</b> {GLOSSARY[id]}
        </p>
      ))}
    </aside>
  );
}

export const Rank = ({ n, children }: { n: number; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: focus highlights the rank in the figure, like pointing at it
  <span className="thing" data-rank={n} data-hue={n % RANK_HUES} tabIndex={0}>
    {children}
  </span>
);

export const Bucket = ({ n, children }: { n: number; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
  <span className="thing" data-bucket={n} tabIndex={0}>
    {children}
  </span>
);

export const Aside = ({ title, children }: { title: string; children: ReactNode }) => (
  <aside className="aside" aria-label={title}>
    <b>{title}</b>
    {children}
  </aside>
);

export const References = ({ children }: { children: ReactNode }) => (
  <section className="references" aria-label="References">
    <b>References</b>
    {children}
  </section>
);

/** A mistake people make; its exhibit in the museum shows it on a run. */
export function Mistake({ exhibit, children }: { exhibit: string; children: ReactNode }) {
  const page = usePage();
  const found = EXHIBITS.find(({ id }) => id === exhibit);
  if (!found) throw new Error(`Lesson "${page.name}": the museum has no exhibit "${exhibit}".`);
  return (
    <section className="mistake" aria-label={found.title}>
      <b>{found.title}</b>
      {children}
      <a href={`../#bug=${found.id}`}>See it happen</a>
    </section>
  );
}
