/**
 * The plan of a semester on the page for teachers: the lessons of each week, what students can do afterwards, and the
 * prediction to discuss before anybody presses Play. All of it is read from contents.ts and from the lessons.
 */
import type { Entry } from '../../../learn/contents';
import type { Lesson } from '../lesson';
import type { Summary } from './course-wall';
import { inline } from './inline';

export interface TaughtLesson {
  readonly entry: Entry;
  readonly lesson: Lesson;
}

interface SemesterProps {
  readonly lessons: readonly TaughtLesson[];
  readonly summaries: ReadonlyMap<string, Summary>;
}

export function Semester({ lessons, summaries }: SemesterProps) {
  const weeks = [...new Set(lessons.flatMap(({ entry: { week } }) => (week === undefined ? [] : [week])))].sort(
    (a, b) => a - b,
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="semester" aria-labelledby="semester" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Week</th>
            <th scope="col">Lesson</th>
            <th scope="col">Afterwards students can</th>
            <th scope="col">To predict in class</th>
          </tr>
        </thead>
        {weeks.map((week) => (
          <Week
            key={week}
            week={week}
            lessons={lessons.filter(({ entry }) => entry.week === week)}
            {...{ summaries }}
          />
        ))}
      </table>
    </section>
  );
}

const Week = ({ week, lessons, summaries }: SemesterProps & { readonly week: number }) => (
  <tbody>
    {lessons.map(({ entry, lesson }, index) => (
      <tr key={entry.name}>
        {index === 0 && (
          <th scope="rowgroup" rowSpan={lessons.length}>
            {week}
          </th>
        )}
        <td>
          <a href={`${entry.name}.html`}>{entry.title}</a>
        </td>
        <td>{summaries.get(entry.name)?.can}</td>
        <td>{inline(Object.values(lesson.predictions)[0]?.question ?? '')}</td>
      </tr>
    ))}
  </tbody>
);
