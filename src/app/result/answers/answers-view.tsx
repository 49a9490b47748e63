/**
 * The model's answers to rows of a sequence task that it never trained on: the prompt, the expected answer, the model's
 * answer, and a sign and colour for right or wrong.
 */
import type { AnsweredSequence } from '../../../protocol/snapshot';
import { ColumnHeads } from '../../fields/column-heads';
import { useApp, useSettled } from '../../state/use-app';
import views from '../views/views.module.css';
import styles from './answers-view.module.css';
import { marked } from './marked-answer';

const EVERY_MS = 200;

export function AnswersView() {
  const answers = useSettled((app) => app.snapshot?.answers, EVERY_MS);
  const ofTest = useApp((app) => (app.info?.dataset.testRows ?? 0) > 0);
  if (!answers || answers.length === 0) return <p className={views['quiet']}>The model has not answered yet.</p>;
  const right = answers.filter((answer) => answer.right).length;
  return (
    <>
      <p className={styles['share']}>
        <b>
          {right} of {answers.length}
        </b>{' '}
        {ofTest ? 'test' : 'training'} rows answered right
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section className={styles['scroll']} tabIndex={0} aria-label="Answers">
        <table className={styles['answers']}>
          <ColumnHeads names={['prompt', 'expected', 'answer', '']} />
          <tbody>
            {answers.map((answer) => (
              <Row key={answer.prompt} answer={answer} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Row({ answer: { prompt, expected, predicted, right } }: { answer: AnsweredSequence }) {
  return (
    <tr data-right={right}>
      <td>{prompt}</td>
      <td>{expected}</td>
      <td>
        {marked(expected, predicted).map(({ text, wrong, place }) =>
          wrong ? <mark key={place}>{text}</mark> : <span key={place}>{text}</span>,
        )}
      </td>
      <td>
        <span role="img" aria-label={right ? 'right' : 'wrong'}>
          {right ? '✓' : '✗'}
        </span>
      </td>
    </tr>
  );
}
