/**
 * Renders the whole site of the lessons to HTML: every page, with its figures run and their pictures drawn. Called by
 * scripts/lessons.mjs, at build and by the development server; never in a browser.
 */
import type { ComponentType } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { CONTENTS } from '../../../learn/contents';
import { readThemes, ruleOf } from '../../app/draw/theme-sheet';
import { lookup } from '../../base/lookup';
import type { ShownViews } from '../../protocol/snapshot';
import type { TermId } from '../../protocol/words/glossary';
import type { DrawingKind } from '../drawing/drawing';
import { loadKinds } from '../drawing/kinds';
import type { Lesson } from '../lesson';
import { dataOf } from '../record/drawing-data';
import type { Looks } from '../record/pictures';
import { type Recorded, recordRun } from '../record/record-run';
import { Code, FileText } from './code';
import { CourseWall, type Summary } from './course-wall';
import { AtYourSize, Drawing } from './drawing';
import { Predict, Question, Task } from './exercises';
import { Figure } from './figure';
import { createHighlight, type Highlight } from './highlight';
import { Layout, type SiteFiles } from './layout';
import { LessonContext, type PageContext } from './lesson-context';
import { markdown } from './markdown';
import { miniatureRun } from './miniature-run';
import { Plot } from './plot';
import { FileDiff, ScriptDiff } from './script-diff';
import { Teach } from './teach';
import { Drawn, Formula, Given, Value } from './value';
import { Aside, Bucket, Definitions, Mistake, Rank, References, Term } from './words';

/** The texts of the style sheets that the pages need. */
export interface Sheets {
  /** app/draw/theme.css */
  readonly theme: string;
  /** app/lab/figure.module.css */
  readonly lab: string;
  /** lessons/page/lesson.css */
  readonly lesson: string;
}

interface LessonText {
  readonly default: ComponentType<{ components: Readonly<Record<string, unknown>> }>;
  readonly frontmatter: Omit<Summary, 'picture' | 'run'> & { readonly title: string };
}

export interface LessonSource {
  readonly name: string;
  readonly text: LessonText;
  readonly lesson: Lesson;
}

const COMPONENTS = {
  Figure,
  Drawing,
  Drawn,
  AtYourSize,
  Value,
  Given,
  Formula,
  Predict,
  Plot,
  Task,
  Question,
  Aside,
  Code,
  ScriptDiff,
  FileDiff,
  FileText,
  Mistake,
  Term,
  Rank,
  Bucket,
  References,
};

/** The two files of each lesson; a row of the contents without them fails the build. */
export async function readLessons(): Promise<readonly LessonSource[]> {
  const texts = import.meta.glob<LessonText>('/learn/*/lesson.mdx');
  const tables = import.meta.glob<{ readonly lesson: Lesson }>('/learn/*/lesson.ts');
  const written = CONTENTS.filter(({ planned }) => planned === undefined);
  return Promise.all(
    written.map(async ({ name }) => {
      const text = lookup(texts, `/learn/${name}/lesson.mdx`);
      const table = lookup(tables, `/learn/${name}/lesson.ts`);
      if (!text || !table) throw new Error(`learn/contents.ts has "${name}", but learn/${name}/ is not there.`);
      return { name, text: await text(), lesson: (await table()).lesson };
    }),
  );
}

/** Runs by their links, each recorded once for all pages; runs with and without decision fields are separate. */
export class Runs {
  private readonly done = new Map<string, Recorded>();

  readonly get = (link: string, shown: ShownViews): Recorded | undefined => this.done.get(keyOf(link, shown));

  async record(link: string, shown: ShownViews): Promise<void> {
    const key = keyOf(link, shown);
    if (!this.done.has(key)) this.done.set(key, await recordRun(link, shown));
  }

  get count(): number {
    return this.done.size;
  }
}

const keyOf = (link: string, { field }: ShownViews): string => `${field} ${link}`;

export interface RenderedSite {
  /** The files by name, relative to learn/. */
  readonly files: ReadonlyMap<string, string>;
  readonly runs: number;
}

export interface SiteOptions {
  readonly site: SiteFiles;
  readonly sheets: Sheets;
  /** Preview pictures of the lessons that have one, relative to the pages. */
  readonly previews: ReadonlyMap<string, string>;
  /** The one page that the development server needs; the list and the page for teachers are always made. */
  readonly only?: string;
}

export async function renderSite({ site, sheets, previews, only }: SiteOptions): Promise<RenderedSite> {
  const looks: Looks = { themes: readThemes(sheets.theme), labCss: sheets.lab };
  const highlight = await createHighlight();
  const runs = new Runs();
  const files = new Map<string, string>();
  const kinds = await loadKinds();
  const lessons = await readLessons();
  for (const source of lessons) {
    if ((only ?? source.name) !== source.name) continue;
    const { title, description, minutes } = source.text.frontmatter;
    const text = await renderLesson(source, { looks, highlight, runs, files, kinds });
    const preview = previews.get(source.name);
    const html = renderToStaticMarkup(
      <Layout {...{ site, course: CONTENTS, name: source.name, title, description, minutes, preview }}>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered above, in the passes that it takes */}
        <article dangerouslySetInnerHTML={{ __html: text }} />
      </Layout>,
    );
    files.set(`${source.name}.html`, `<!doctype html>\n${html}`);
  }
  const taught = lessons.flatMap(({ name, lesson }) =>
    CONTENTS.filter((entry) => entry.name === name).map((entry) => ({ entry, lesson })),
  );
  const summaries = new Map(
    lessons.map(({ name, text, lesson }) => {
      const summary = { ...text.frontmatter, picture: miniatureOf(name, lesson, files), run: miniatureRun(lesson) };
      return [name, summary] as const;
    }),
  );
  const page = (name: string, title: string, description: string, body: React.ReactNode) =>
    files.set(
      `${name}.html`,
      `<!doctype html>\n${renderToStaticMarkup(
        <Layout {...{ site, course: CONTENTS, name, title, description }}>{body}</Layout>,
      )}`,
    );
  page('index', 'Learn by running it', LIST_DESCRIPTION, <CourseWall course={CONTENTS} summaries={summaries} />);
  page('teach', 'For teachers', TEACH_DESCRIPTION, <Teach lessons={taught} summaries={summaries} />);
  files.set('lesson.css', styleSheet(sheets));
  return { files, runs: runs.count };
}

/**
 * The view that the lesson chooses; otherwise its own drawing, which no other lesson has; otherwise its first picture
 * for narrow pages.
 */
function miniatureOf(name: string, { card }: Lesson, files: ReadonlyMap<string, string>): Summary['picture'] {
  const own = [...files.keys()].filter((file) => file.startsWith(`pictures/${name}-`));
  const chosen = card && `pictures/${name}-${card.figure}-${card.view}`;
  const light =
    own.find((file) => file === `${chosen}-narrow.svg` || file === `${chosen}.svg`) ??
    own.find((file) => file.startsWith(`pictures/${name}-drawing-`)) ??
    own.find((file) => file.endsWith('-narrow.svg'));
  return light === undefined ? undefined : { light, dark: light.replace(/\.svg$/, '-dark.svg') };
}

const LIST_DESCRIPTION =
  'Lessons on training one net on many devices, with figures that are real runs: DataParallel, DistributedDataParallel, all-reduce, buckets, model parallelism.';
const TEACH_DESCRIPTION = 'How to use the lessons and their figures in a class, and in pages of your own.';

export interface Passes {
  readonly looks: Looks;
  readonly highlight: Highlight;
  readonly runs: Runs;
  readonly files: Map<string, string>;
  readonly kinds: ReadonlyMap<string, DrawingKind>;
}

/**
 * Renders the lesson until all runs that it needs are recorded: one run's values may decide which other runs it needs.
 */
export async function renderLesson(
  { name, text, lesson }: LessonSource,
  { looks, highlight, runs, files, kinds }: Passes,
): Promise<string> {
  const data = new Map<string, unknown>();
  const shown = { field: Object.values(lesson.figures).some(({ show }) => show.includes('field')) };
  for (;;) {
    const missing = new Set<string>();
    const unread = new Map<string, () => Promise<unknown>>();
    const pictures = new Map<string, string>();
    const terms = new Set<TermId>();
    const page: PageContext = {
      name,
      lesson,
      run: (link) => {
        const recorded = runs.get(link, shown);
        if (!recorded) missing.add(link);
        return recorded;
      },
      read: (drawing, { kind, about }, recorded) => {
        if (!data.has(drawing)) unread.set(drawing, () => dataOf(kind, recorded, about));
        return data.get(drawing);
      },
      highlight,
      shelf: { looks, files: pictures },
      kinds,
      terms,
      placed: new Set(),
    };
    const { default: Text } = text;
    const html = renderToStaticMarkup(
      <LessonContext value={page}>
        <Text components={{ ...COMPONENTS, ...markdown }} />
      </LessonContext>,
    );
    if (missing.size === 0 && unread.size === 0) {
      checkPlaced(page);
      for (const [file, svg] of pictures) files.set(file, svg);
      return html + renderToStaticMarkup(<Definitions terms={terms} />);
    }
    for (const [drawing, read] of unread) data.set(drawing, await read());
    for (const link of missing)
      await runs.record(link, shown).catch((error: unknown) => {
        throw new Error(
          `Lesson "${name}": the run "${link}" failed: ${error instanceof Error ? error.message : error}`,
        );
      });
  }
}

/** Fails if lesson.ts has an item that the text does not place. */
function checkPlaced({ name, lesson, placed }: PageContext): void {
  const all = [
    ...Object.keys(lesson.figures).map((id) => `figure ${id}`),
    ...Object.keys(lesson.predictions).map((id) => `prediction ${id}`),
    ...Object.keys(lesson.tasks).map((id) => `task ${id}`),
    ...Object.keys(lesson.plots ?? {}).map((id) => `plot ${id}`),
    ...Object.keys(lesson.drawings ?? {}).map((id) => `drawing ${id}`),
  ];
  const missing = all.filter((key) => !placed.has(key));
  if (missing.length > 0)
    throw new Error(`Lesson "${name}": lesson.ts has what the text does not: ${missing.join(', ')}.`);
}

/**
 * One sheet for all pages: the playground's variables (without a script in the theme of the reader's system), and the
 * lessons' own styles.
 */
export function styleSheet({ theme, lesson }: Sheets): string {
  const dark = `@media (prefers-color-scheme: dark) {\n:root:not([data-theme]) {${ruleOf(theme, 'dark')}}\n}`;
  return [theme, dark, lesson]
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\n\s*/g, '\n')
    .replace(/\n+/g, '\n');
}
