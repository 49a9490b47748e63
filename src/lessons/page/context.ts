/**
 * What the components of a lesson's text ask while it is rendered: recorded runs. A page is rendered twice: the first
 * time only the links that it asks for are collected, then they are run, and the second time everything is there.
 */
import { createContext, use } from 'react';
import { lookup } from '../../base/lookup';
import type { TermId } from '../../protocol/words/glossary';
import { formatOf, measure } from '../facts/quantities';
import { type Format, write } from '../facts/write';
import type { Asked, Changes, FigureSpec, Lesson } from '../lesson';
import type { Recorded } from '../record/record-run';
import { linkOf } from '../run-link';
import type { PictureShelf } from './pictures';

export interface PageContext {
  readonly name: string;
  readonly lesson: Lesson;
  /** Undefined: it is being run; the page will be rendered again. */
  readonly run: (link: string) => Recorded | undefined;
  /** HTML of a Python text, in colours. */
  readonly highlight: (code: string, marked: readonly number[]) => string;
  readonly shelf: PictureShelf;
  /** Terms that the text uses: their definitions are put below it. */
  readonly terms: Set<TermId>;
  /** Each figure, prediction and task is placed once. */
  readonly placed: Set<string>;
}

export const LessonContext = createContext<PageContext | undefined>(undefined);

export function usePage(): PageContext {
  const page = use(LessonContext);
  if (!page) throw new Error('A component of a lesson is outside of a lesson.');
  return page;
}

export function rowOf<T>(table: Readonly<Record<string, T>>, what: string, id: string, { name }: PageContext): T {
  const row = lookup(table, id);
  if (row === undefined) throw new Error(`Lesson "${name}": its lesson.ts has no ${what} "${id}".`);
  return row;
}

export const figureOf = (page: PageContext, id: string): FigureSpec => rowOf(page.lesson.figures, 'figure', id, page);

export const runOf = (page: PageContext, figure: string, changes?: Changes): Recorded | undefined =>
  page.run(linkOf(figureOf(page, figure).run, changes));

/** Undefined while its run is not there yet. A run that does not have the quantity fails the build. */
export function askedValue(page: PageContext, { figure, of, with: changes }: Asked): number | undefined {
  const recorded = runOf(page, figure, changes);
  if (!recorded) return undefined;
  const value = measure(recorded.facts, of);
  if (value === undefined)
    throw new Error(
      `Lesson "${page.name}": the run of figure "${figure}"${changes ? ` with ${JSON.stringify(changes)}` : ''} has no value "${of}".`,
    );
  return value;
}

const PENDING = '…';

export function textOf(page: PageContext, asked: Asked, format: Format = formatOf(asked.of)): string {
  const value = askedValue(page, asked);
  return value === undefined ? PENDING : write(value, format);
}

/** Notes that it is on the page; twice is a mistake. */
export function placeOnce(page: PageContext, what: string, id: string): void {
  const key = `${what} ${id}`;
  if (page.placed.has(key)) throw new Error(`Lesson "${page.name}": the ${what} "${id}" is on the page twice.`);
  page.placed.add(key);
}
