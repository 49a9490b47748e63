/**
 * The context in which the components of a lesson's text are rendered: recorded runs. A page is rendered twice: the
 * first pass only collects links to runs, then the build runs them, and the second pass has all results.
 */
import { createContext, use } from 'react';
import { lookup } from '../../base/lookup';
import type { TermId } from '../../protocol/words/glossary';
import { type DrawingKind, type Drawn, settingsOf } from '../drawing/drawing';
import type { KindName } from '../drawing/kind-names';
import { formatOf, measure } from '../facts/quantities';
import { type Format, write } from '../facts/write';
import type { AskedValue, Changes, DrawingSpec, FigureSpec, Lesson } from '../lesson';
import { needsData, type RunsByName } from '../record/drawing-data';
import type { Recorded } from '../record/record-run';
import { linkOf } from '../run-link';
import type { PictureShelf } from './pictures';

export interface PageContext {
  readonly name: string;
  readonly lesson: Lesson;
  /** Undefined while the run is being recorded; the page will be rendered again. */
  readonly run: (link: string) => Recorded | undefined;
  /** A drawing's data from its runs; undefined while they are being read: the page will be rendered again. */
  readonly read: (
    drawing: string,
    of: { readonly kind: KindName; readonly about: string },
    runs: RunsByName,
  ) => unknown;
  /** HTML of Python code with syntax colours. */
  readonly highlight: (code: string, marked: readonly number[]) => string;
  readonly shelf: PictureShelf;
  readonly kinds: ReadonlyMap<string, DrawingKind>;
  /** Terms in the text; their definitions follow below it. */
  readonly terms: Set<TermId>;
  /** Figures, predictions and tasks that the text has placed; each may occur once. */
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
  page.run(linkIn(page, figureOf(page, figure).run, changes));

/** The link of a run, or an error that names the lesson. */
function linkIn({ name }: PageContext, run: string, changes?: Changes): string {
  try {
    return linkOf(run, changes);
  } catch (error) {
    throw new Error(`Lesson "${name}": ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** Undefined while its run is not recorded yet. A run that lacks the quantity fails the build. */
export function askedValue(page: PageContext, { figure, of, with: changes }: AskedValue): number | undefined {
  const recorded = runOf(page, figure, changes);
  if (!recorded) return undefined;
  const value = measure(recorded.facts, of);
  if (value === undefined)
    throw new Error(
      `Lesson "${page.name}": the run of figure "${figure}"${changes ? ` with ${JSON.stringify(changes)}` : ''} has no value "${of}".`,
    );
  return value;
}

export interface DrawingAsked {
  readonly spec: DrawingSpec;
  readonly kind: DrawingKind;
  readonly about: string;
  /** The data recorded for the drawing; undefined for kinds that record nothing. */
  readonly data: unknown;
  /** False while its runs or data are missing. */
  readonly ready: boolean;
}

/** Name of a lesson's worked example, which has no row in lesson.ts: the lesson's name chooses it. */
export const SIZE = 'size';

const SIZE_SPEC: DrawingSpec = {
  kind: 'at-size',
  caption:
    'Counted from the shapes of the layers, and timed by the modelled clock; nothing of this size is trained here.',
};

export function drawingOf(page: PageContext, id: string): DrawingAsked {
  const spec = id === SIZE ? SIZE_SPEC : rowOf(page.lesson.drawings ?? {}, 'drawing', id, page);
  const kind = page.kinds.get(spec.kind);
  if (!kind) throw new Error(`Lesson "${page.name}": there is no kind of drawings "${spec.kind}".`);
  const runs = Object.entries(spec.runs ?? {}).map(([name, run]) => [name, page.run(linkIn(page, run))] as const);
  const there = runs.flatMap(([name, run]) => (run ? [[name, run] as const] : []));
  const about = spec.about ?? page.name;
  if (!needsData(spec.kind)) return { spec, kind, about, data: undefined, ready: true };
  const data = there.length === runs.length ? page.read(id, { kind: spec.kind, about }, new Map(there)) : undefined;
  return { spec, kind, about, data, ready: data !== undefined };
}

export function drawnAt({ spec, kind, about, data }: DrawingAsked, width: number, changes: Changes = {}): Drawn {
  return kind.draw({ settings: settingsOf(kind, about, { ...spec.start, ...changes }), width, about, data });
}

const PENDING = '…';

/** A value of a drawing, at its start or with other settings. */
export function drawnText(page: PageContext, id: string, of: string, changes?: Changes, format?: Format): string {
  const asked = drawingOf(page, id);
  if (!asked.ready) return PENDING;
  const found = drawnAt(asked, WIDTH_OF_VALUES, changes).values.find((own) => own.id === of);
  if (!found) throw new Error(`Lesson "${page.name}": the drawing "${id}" has no value "${of}".`);
  return write(found.value, format ?? found.format);
}

/** The width of a drawing of which only values are used; they do not depend on it. */
const WIDTH_OF_VALUES = 640;

export function textOf(page: PageContext, asked: AskedValue, format: Format = formatOf(asked.of)): string {
  const value = askedValue(page, asked);
  return value === undefined ? PENDING : write(value, format);
}

/** Records that the item is on the page; twice is an error. */
export function placeOnce(page: PageContext, what: string, id: string): void {
  const key = `${what} ${id}`;
  if (page.placed.has(key)) throw new Error(`Lesson "${page.name}": the ${what} "${id}" is on the page twice.`);
  page.placed.add(key);
}
