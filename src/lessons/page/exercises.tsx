/** Predictions, tasks and questions, before a script makes them live. */
import type { ReactNode } from 'react';
import { lookup } from '../../base/lookup';
import { formatOf } from '../facts/quantities';
import { write } from '../facts/write';
import type { Prediction } from '../lesson';
import { inline } from './inline';
import { askedValue, figureOf, type PageContext, placeOnce, rowOf, runOf, usePage } from './lesson-context';
import { DrawnPlot } from './plot';

export function Predict({ id }: { id: string }) {
  const page = usePage();
  placeOnce(page, 'prediction', id);
  const prediction = rowOf(page.lesson.predictions, 'prediction', id, page);
  const { answer, question, plot } = prediction;
  const value = askedValue(page, answer);
  const format = formatOf(answer.of);
  const right = value === undefined ? 0 : rightOf(page, id, prediction, value);
  const said = value === undefined ? '…' : saidOf(prediction, value, right);
  return (
    <section className="predict" data-predict={id} aria-labelledby={`predict-${id} asked-${id}`}>
      <div className="predict-side">
        <p className="predict-title" id={`predict-${id}`}>
          Predict first
        </p>
        <form>
          <p id={`asked-${id}`}>{inline(question)}</p>
          <Guess id={id} prediction={prediction} />
          <button type="submit">Commit</button>
        </form>
        <div className="predict-answer" data-answer={answerOf(prediction, value, right)} data-format={format} hidden>
          <p className="predict-pair">
            <span>
              Your guess <b className="predict-guess" />
            </span>
            <span>
              The run <b className="predict-run">{said}</b>
            </span>
          </p>
          <p className="predict-verdict" role="status" />
          <p>{why(page, prediction)}</p>
          <button type="button" className="predict-again">
            Guess again
          </button>
        </div>
        <noscript>
          <details>
            <summary>What the run says</summary>
            <p>
              {said}. {why(page, prediction)}
            </p>
          </details>
        </noscript>
      </div>
      {plot && <DrawnPlot plot={plot} changes={answer.with} asked={askedAt(page, id, prediction)} />}
    </section>
  );
}

function Guess({ id, prediction: { guess } }: { id: string; prediction: Prediction }) {
  if (guess.kind === 'choice')
    return guess.choices.map(({ text }, index) => (
      <label key={text} className="predict-choice">
        <input type="radio" name="guess" value={index} required /> <span>{inline(text)}</span>
      </label>
    ));
  return (
    <label className="predict-slider">
      <span className="visually-hidden">Your guess</span>
      <input
        type="range"
        name="guess"
        min={guess.from}
        max={guess.to}
        step={guess.step}
        aria-describedby={`asked-${id}`}
      />
      <output />
    </label>
  );
}

/**
 * The setting of the plot at which the question is asked: the answer’s, or the one that the figure has. The guess is
 * drawn there, so the plot must show the answer there.
 */
function askedAt(page: PageContext, id: string, { plot, answer, guess }: Prediction): string | undefined {
  if (!plot) return undefined;
  const { over, values } = plot;
  const own = new URLSearchParams(figureOf(page, answer.figure).run).get(over);
  const asked = (answer.with && lookup(answer.with, over)) ?? own ?? undefined;
  const about = `Lesson "${page.name}": the plot of prediction "${id}"`;
  if (asked === undefined || !values.includes(asked)) {
    if (guess.kind === 'choice') return values[0];
    throw new Error(`${about} lacks ${over}=${asked ?? '?'}, which the question is about.`);
  }
  const drawn = askedValue(page, { ...plot, with: { ...answer.with, [over]: asked } });
  const value = askedValue(page, answer);
  if (guess.kind === 'number' && drawn !== undefined && value !== undefined && drawn !== value)
    throw new Error(`${about} shows ${drawn} at ${over}=${asked}, but the answer is ${value}.`);
  return asked;
}

/** The number of the one choice that is right in the run. */
function rightOf(page: PageContext, id: string, { guess, answer }: Prediction, value: number): number {
  if (guess.kind === 'number') {
    if (value < guess.from || value > guess.to)
      throw new Error(
        `Lesson "${page.name}": prediction "${id}" has an answer, ${value}, that its slider does not have.`,
      );
    return 0;
  }
  const recorded = runOf(page, answer.figure, answer.with);
  const right = guess.choices.flatMap(({ right: is }, index) => (recorded && is(value, recorded.facts) ? [index] : []));
  const [only, ...others] = right;
  if (only === undefined || others.length > 0)
    throw new Error(
      `Lesson "${page.name}": prediction "${id}" has ${right.length} right choices; the run says ${value}.`,
    );
  return only;
}

const answerOf = ({ guess }: Prediction, value: number | undefined, right: number): number | undefined =>
  guess.kind === 'choice' ? right : value;

function saidOf({ guess, answer }: Prediction, value: number, right: number): string {
  const number = write(value, formatOf(answer.of));
  return guess.kind === 'choice' ? `${guess.choices[right]?.text ?? ''}` : number;
}

/** Replaces each `{quantity}` in the text by its value in the answer's run. */
function why(page: PageContext, { answer, why: text }: Prediction): ReactNode {
  const filled = text.replaceAll(/\{([a-zA-Z]+(?::[^}]+)?)\}/g, (_, of: string) => {
    const value = askedValue(page, { ...answer, of: of as Prediction['answer']['of'] });
    return value === undefined ? '…' : write(value, formatOf(of));
  });
  return inline(filled);
}

export function Task({ id }: { id: string }) {
  const page = usePage();
  placeOnce(page, 'task', id);
  const { text, hint } = rowOf(page.lesson.tasks, 'task', id, page);
  return (
    <section className="task" data-task={id} aria-labelledby={`task-${id}`}>
      <label>
        <input type="checkbox" disabled /> <span id={`task-${id}`}>{inline(text)}</span>
      </label>
      <p className="task-hint" hidden>
        {inline(hint)}
      </p>
      <button type="button" className="task-more" hidden>
        Hint
      </button>
      <button type="button" className="task-solve" hidden>
        Show the solution
      </button>
      <p className="task-status" role="status" />
      <noscript>
        <p>{inline(hint)}</p>
      </noscript>
    </section>
  );
}

export function Question({ ask, children }: { ask: string; children: ReactNode }) {
  return (
    <details className="question">
      <summary>{inline(ask)}</summary>
      <div>{children}</div>
    </details>
  );
}
