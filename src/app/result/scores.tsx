/**
 * Loss and accuracy over all rows, training and test, from the newest snapshot, beside the values of guessing, which an
 * untrained net reaches. For text also the perplexity: among how many characters the model hesitates.
 */
import type { SessionInfo } from '../../protocol/session-info';
import { formatCount, formatLoss, formatPercent, NONE } from '../draw/format';
import { useApp, useSettled } from '../state/use-app';
import styles from './result.module.css';

export function Scores() {
  const snapshot = useSettled((app) => app.snapshot, 100);
  const guess = useApp((app) => guessing(app.info));
  const isText = useApp((app) => app.info?.config.data.type === 'text');
  const isTokens = useApp((app) => app.info?.dataset.kind === 'tokens');
  const classes = snapshot?.trainAccuracy !== undefined;
  const row = (name: 'Train' | 'Test', loss: number | undefined, accuracy: number | undefined) => (
    <div>
      <dt>{name.toLowerCase()}</dt>
      <dd>
        <Status name={`${name} loss`} text={formatLoss(loss)} />
        {isText && ' nats'}
      </dd>
      {isText && (
        <dd>
          <small>perplexity</small> <Status name={`${name} perplexity`} text={formatPerplexity(loss)} />
        </dd>
      )}
      {classes && !isText && (
        <dd>
          <Status name={`${name} accuracy`} text={formatPercent(accuracy)} />
          {guess !== undefined && <small> {isTokens ? 'of tokens right' : 'right'}</small>}
        </dd>
      )}
    </div>
  );
  return (
    <dl className={styles['scores']} data-guess={guess !== undefined || undefined}>
      {row('Train', snapshot?.trainLoss, snapshot?.trainAccuracy)}
      {row('Test', snapshot?.testLoss, snapshot?.testAccuracy)}
      {guess !== undefined && (
        <div data-guess="">
          <dt>guessing</dt>
          <dd>{`${formatLoss(guess)}${isText ? ' nats' : ''}`}</dd>
          <dd>{isText ? `perplexity ${formatPerplexity(guess)}` : formatPercent(Math.exp(-guess))}</dd>
        </div>
      )}
      <div data-step="">
        <dt>after step</dt>
        <dd>
          <Status name="Step of the result" text={snapshot ? formatCount(snapshot.step) : NONE} />
        </dd>
      </div>
    </dl>
  );
}

const formatPerplexity = (loss: number | undefined): string =>
  loss === undefined ? NONE : new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 }).format(Math.exp(loss));

/**
 * The loss if every class has the same probability; undefined unless the loss is cross-entropy over more than two
 * classes.
 */
function guessing(info: SessionInfo | undefined): number | undefined {
  if (info?.config.loss.type !== 'CrossEntropyLoss') return undefined;
  const { classNames, vocabulary } = info.dataset;
  const classes = Math.max(classNames.length, vocabulary.length);
  return classes > 2 ? Math.log(classes) : undefined;
}

/** A value with its name; a screen reader does not announce each change, the user asks for the value. */
export function Status({ name, text }: { name: string; text: string }) {
  return (
    <span role="status" aria-live="off" aria-label={name}>
      {text}
    </span>
  );
}
