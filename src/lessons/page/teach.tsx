/**
 * The page for teachers, learn/teach.html: figures in their own pages, use in class, and every task of the lessons with
 * its hint and solution.
 */
import { lookup } from '../../base/lookup';
import type { Action, FigureSpec, Press, SettingControl, Task } from '../lesson';
import type { Summary } from './course-wall';
import { inline } from './inline';
import { Semester, type TaughtLesson } from './semester';

const OWN = '../examples/own-lesson.html';

const FRAME = `<iframe src="https://example.org/lockstep/#seed=0&mode=ddp&world=4&embed=1&hide=bar,setup,result,code&at=2&moment=9"
  title="Four replicas" loading="lazy" style="width: 100%; border: 0"></iframe>`;

/** What a frame posts, for a page around it; docs/embedding.md lists all fields. */
export const MESSAGES = `addEventListener('message', ({ data, source }) => {
  if (data?.type === 'lockstep:height') ...  // { height }: the height of the figure
  if (data?.type === 'lockstep:state') ...   // { microBatch, loss, hidden, divergence, link, ... }: the state of the run
  if (data?.type === 'lockstep:task') ...    // { lesson, task }: a finished task, if the frame shows a lesson
});`;

interface TeachProps {
  readonly lessons: readonly TaughtLesson[];
  readonly summaries: ReadonlyMap<string, Summary>;
}

export function Teach({ lessons, summaries }: TeachProps) {
  return (
    <>
      <p>
        These pages are static files. They send no data, and nobody needs an account. A class of thirty costs the host
        as much as thirty readers of a page.
      </p>
      <h2>A figure in a page of your own</h2>
      <p>
        Every figure of the lessons has a link “Open in the playground”. Set up the run there as you want it and press
        Share. The link leads to the exact run, step and moment, and you choose what is hidden and what readers cannot
        change. Share also writes the frame for your page:
      </p>
      <Snippet code={FRAME} />
      <p>The frame posts its height and the state of its run to your page, so that your page can tick off a task:</p>
      <Snippet code={MESSAGES} />
      <p>
        You can also put a whole lesson into a frame. <code>learn/all-reduce.html</code>, for example, posts a message
        for each finished task, and one when all tasks are finished.
      </p>
      <h2>A lesson of your own</h2>
      <p>
        <a href={OWN}>A plain page with three figures and a task</a> is all you need: save it, put the address of your
        Lockstep into it, and write your text. All keys of a link are in <code>docs/embedding.md</code>. To add a lesson
        to these pages, with values in the prose and tests of its claims, read <code>learn/README.md</code>.
      </p>
      <h2>In class</h2>
      <ul>
        <li>
          One reader needs about ten minutes for a lesson. In class, let everybody make a guess before anybody presses
          Play. The guess stays on the page beside the answer of the run.
        </li>
        <li>
          The same link gives the same numbers, to the bit, on every machine. “Step 12, moment 9” is the same picture
          for everyone.
        </li>
        <li>
          <b>Printing:</b> figures are printed as pictures of their recorded state, with their sentence. Some browsers
          also print the answers of the questions.
        </li>
        <li>
          <b>Offline:</b> a browser keeps every page that it has opened once with a connection. So open the playground
          and the lessons of the day before class. Or copy the built site to a laptop and serve the folder from there;
          no other server is needed.
        </li>
        <li>
          <b>Machines:</b> the figures are small and compute on the CPU, so a phone is enough. Without JavaScript the
          pages still have the text, the pictures and the numbers.
        </li>
      </ul>
      <h2 id="semester">A semester</h2>
      <p>
        One or two lessons a week. Start each week with its prediction: everybody makes a guess, then a figure shows the
        answer. The tasks of the lesson are the homework; hints and solutions are below.
      </p>
      <Semester {...{ lessons, summaries }} />
      <h2>All tasks, with hints and solutions</h2>
      {lessons.map(({ entry, lesson }) => (
        <section key={entry.name} className="tasks">
          <h3>
            <a href={`${entry.name}.html`}>{entry.title}</a>
          </h3>
          <ol>
            {Object.entries(lesson.tasks).map(([id, task]) => (
              <li key={id}>
                {inline(task.text)}
                <details>
                  <summary>Hint and solution</summary>
                  <p>{inline(task.hint)}</p>
                  <p>{solutionWords(task, lookup(lesson.figures, task.figure))}</p>
                </details>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

const Snippet = ({ code }: { code: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <pre tabIndex={0}>
    <code>{code}</code>
  </pre>
);

const PRESSED: Readonly<Record<Press, string>> = {
  play: 'press Play',
  moment: 'step a moment',
  round: 'step a round',
  phase: 'step a phase',
  iteration: 'step an iteration',
  reset: 'press Reset',
  kill: 'end the last rank',
};

/** 'Set Ranks to 8, then press Play and wait.' */
export function solutionWords({ solution }: Task, figure: FigureSpec | undefined): string {
  const words = solution.map((action) => actionWords(action, figure)).join(', then ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function actionWords(action: Action, figure: FigureSpec | undefined): string {
  if (action === 'wait') return 'let it run';
  if ('press' in action) return PRESSED[action.press];
  return Object.entries(action.set)
    .map(([key, value]) => {
      const control = figure?.controls.find((own): own is SettingControl => typeof own === 'object' && own.key === key);
      const said = control?.words?.[control.values.indexOf(value)] ?? value;
      return `set ${control?.label ?? key} to ${said}`;
    })
    .join(' and ');
}
