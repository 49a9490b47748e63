/**
 * The list of all lessons, learn/index.html: paths for readers with little time, and a wall with a picture of each
 * lesson and what one can do after it. All of it is read from contents.ts and from the lessons.
 */
import { type Entry, PATHS, type PathName } from '../../../learn/contents';
import { lookup } from '../../base/lookup';

/** The summary of a written lesson, for other pages. */
export interface Summary {
  readonly description: string;
  /** "Afterwards you can ..." */
  readonly can: string;
  readonly minutes: number;
  /** The lesson's first picture, relative to the pages; undefined if only one page is rendered. */
  readonly picture: { readonly light: string; readonly dark: string } | undefined;
  /** Link to the playground's run that replaces the picture (miniature-run.ts). */
  readonly run: string | undefined;
}

interface CourseWallProps {
  readonly course: readonly Entry[];
  readonly summaries: ReadonlyMap<string, Summary>;
}

export function CourseWall({ course, summaries }: CourseWallProps) {
  return (
    <>
      <p>
        Train one net on many devices, and watch every step of it. Every figure on these pages is a real training run in
        your browser, and the numbers in the text come from these runs. Only facts that no run can compute are typed by
        hand: settings of an example, sizes of published models, defaults of PyTorch. The lessons are for people who
        have trained a net with PyTorch on one GPU and have never used two.
      </p>
      <section className="paths" aria-label="Paths through the course">
        {Object.keys(PATHS).map((name) => (
          <Path key={name} name={name} course={course} summaries={summaries} />
        ))}
        <div className="path">
          <h2>A course to teach</h2>
          <p>You teach a class, one or two lessons a week.</p>
          <p>
            <a href="teach.html#semester">The plan of a semester</a>, with a prediction to discuss for each week.
          </p>
        </div>
      </section>
      <h2>All lessons</h2>
      <ol className="wall">
        {course.map((entry, index) => (
          <Card key={entry.name} entry={entry} number={index + 1} summary={summaries.get(entry.name)} />
        ))}
      </ol>
    </>
  );
}

interface PathProps extends CourseWallProps {
  readonly name: string;
}

/** Lessons that are not written yet are left out. */
function Path({ name, course, summaries }: PathProps) {
  const { title, who } = lookup(PATHS, name) ?? { title: name, who: '' };
  const stops = course.flatMap((entry) => {
    const summary = summaries.get(entry.name);
    return summary && entry.paths?.includes(name as PathName) ? [{ entry, summary }] : [];
  });
  const minutes = stops.reduce((sum, { summary }) => sum + summary.minutes, 0);
  return (
    <div className="path">
      <h2>{title}</h2>
      <p>{who}</p>
      <ol>
        {stops.map(({ entry }) => (
          <li key={entry.name} value={course.indexOf(entry) + 1}>
            <a href={`${entry.name}.html`}>{shortTitle(entry)}</a>
          </li>
        ))}
      </ol>
      <p className="path-minutes">about {minutes} minutes</p>
    </div>
  );
}

/** The title up to a colon: 'All-reduce' for 'All-reduce: how four gradients become one'. */
const shortTitle = ({ title }: Entry): string => title.split(':')[0] ?? title;

interface CardProps {
  readonly entry: Entry;
  readonly number: number;
  readonly summary: Summary | undefined;
}

function Card({ entry, number, summary }: CardProps) {
  const { name, title, planned } = entry;
  if (!summary)
    return (
      <li className="card" data-planned>
        <p className="card-title">
          {number}. {title}
        </p>
        <p>{planned}</p>
        <p className="card-minutes">not written yet</p>
      </li>
    );
  return (
    <li className="card" data-run={summary.picture && summary.run}>
      <a className="card-title" href={`${name}.html`} data-lesson={name}>
        {summary.picture && <Miniature {...summary.picture} />}
        {number}. {title}
      </a>
      <p>Afterwards you can {summary.can}.</p>
      <p className="card-minutes">about {summary.minutes} minutes</p>
    </li>
  );
}

/** The picture has an empty alternative text, because the title beside it describes it. */
const Miniature = ({ light, dark }: { readonly light: string; readonly dark: string }) => (
  <picture className="miniature">
    <source srcSet={dark} media="(prefers-color-scheme: dark)" />
    <img src={light} width={WIDTH} height={HEIGHT} alt="" loading="lazy" />
  </picture>
);

const WIDTH = 320;
const HEIGHT = 200;
