/** The frame of a page of the lessons: head, place in the course, text, and links to the next pages. */
import type { ReactNode } from 'react';

export interface CourseEntry {
  readonly name: string;
  readonly title: string;
  readonly planned?: string;
}

/** The files that a page loads, relative to the page. */
export interface SiteFiles {
  readonly script: string;
  readonly styles: readonly string[];
  /** The page's Content Security Policy; undefined under the development server. */
  readonly policy: string | undefined;
  /** Address of the site, with a slash at its end; undefined if unknown: then the page has no absolute addresses. */
  readonly address: string | undefined;
}

interface LayoutProps {
  readonly site: SiteFiles;
  readonly course: readonly CourseEntry[];
  /** The page's file, without its ending; 'index' is the list. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Duration of a lesson. */
  readonly minutes?: number | undefined;
  /** Preview picture, relative to the page. */
  readonly preview?: string | undefined;
  readonly children: ReactNode;
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='1' width='6' height='6' rx='1.5' fill='%230072b2'/%3E%3Crect x='9' y='1' width='6' height='6' rx='1.5' fill='%23d55e00'/%3E%3Crect x='9' y='9' width='6' height='6' rx='1.5' fill='%23009e73'/%3E%3Crect x='1' y='9' width='6' height='6' rx='1.5' fill='%23b0508f'/%3E%3C/svg%3E";

export function Layout(props: LayoutProps) {
  const { site, course, name, title, description, minutes, preview, children } = props;
  const lesson = course.findIndex((entry) => entry.name === name);
  const absolute = (file: string) => (site.address === undefined ? file : `${site.address}learn/${file}`);
  return (
    <html lang="en" {...(lesson >= 0 ? { 'data-lesson': name } : {})}>
      <head>
        {site.policy !== undefined && <meta httpEquiv="Content-Security-Policy" content={site.policy} />}
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Lockstep`}</title>
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        <meta property="og:type" content="article" />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        {preview && <meta property="og:image" content={absolute(preview)} />}
        {preview && <meta name="twitter:card" content="summary_large_image" />}
        {site.address !== undefined && <link rel="canonical" href={absolute(`${name}.html`)} />}
        <link rel="icon" href={ICON} />
        {site.styles.map((file) => (
          <link key={file} rel="stylesheet" href={file} />
        ))}
        <script type="module" src={site.script} />
      </head>
      <body>
        <a className="skip" href="#text">
          To the text
        </a>
        <header className="top">
          <a className="brand" href="../">
            Lockstep
          </a>
          <a href="index.html">Lessons</a>
          <nav className="dots" aria-label="Place in the course">
            {course.map((entry, index) => (
              <Dot key={entry.name} entry={entry} number={index + 1} here={entry.name === name} />
            ))}
          </nav>
          <span className="top-space" />
          {minutes !== undefined && <span className="minutes">about {minutes} minutes</span>}
          <a href="teach.html">For teachers</a>
          <a href="../">Playground</a>
        </header>
        <main id="text">
          {lesson >= 0 && (
            <p className="place">
              Lesson {lesson + 1} of {course.length}
            </p>
          )}
          <h1>{title}</h1>
          {children}
        </main>
        {lesson >= 0 && <NextAndPrevious course={course} lesson={lesson} />}
      </body>
    </html>
  );
}

function Dot({ entry, number, here }: { entry: CourseEntry; number: number; here: boolean }) {
  const label = `Lesson ${number}: ${entry.title}${entry.planned === undefined ? '' : ', not written yet'}`;
  if (entry.planned !== undefined) return <span className="dot" data-planned title={label} />;
  return (
    <a
      className="dot"
      data-lesson={entry.name}
      href={`${entry.name}.html`}
      aria-label={label}
      title={label}
      {...(here ? { 'aria-current': 'page' as const } : {})}
    />
  );
}

/** Skips lessons that are not written yet. */
function NextAndPrevious({ course, lesson }: { course: readonly CourseEntry[]; lesson: number }) {
  const written = (entry: CourseEntry) => entry.planned === undefined;
  const next = course.slice(lesson + 1).find(written);
  const before = course.slice(0, lesson).findLast(written);
  const numberOf = (entry: CourseEntry) => course.indexOf(entry) + 1;
  return (
    <nav className="way-on" aria-label="Next and previous lesson">
      {before ? (
        <a href={`${before.name}.html`} rel="prev">
          <span>← Lesson {numberOf(before)}</span>
          {before.title}
        </a>
      ) : (
        <a href="index.html">
          <span>←</span>All lessons
        </a>
      )}
      {next ? (
        <a href={`${next.name}.html`} rel="next" data-next>
          <span>Lesson {numberOf(next)} →</span>
          {next.title}
        </a>
      ) : (
        <a href="../" data-next>
          <span>→</span>To the playground
        </a>
      )}
    </nav>
  );
}
