/**
 * The line below the title while the run trains towards a link's moment: its progress, and a button that stops it.
 * Loaded with the first such link.
 */
import { stepWords } from '../../protocol/micro-batches';
import { formatCount, stepNumber } from '../draw/format';
import { useController } from '../run/use-controller';
import { useApp, useSettled } from '../state/use-app';
import styles from './going-to.module.css';

export function GoingTo({ microBatch }: { microBatch: number }) {
  const { player } = useController();
  const accumulate = useApp((app) => app.info?.config.accumulate ?? 1);
  const done = useSettled((app) => app.microBatch, 200);
  const perSecond = useSettled((app) => app.stepsPerSecond * accumulate, 500);
  const left = perSecond > 0 ? (microBatch - done) / perSecond : undefined;
  const goal = stepWords(microBatch, { accumulate }, stepNumber);
  return (
    <span className={styles['going']}>
      <span role="status" aria-live="off" aria-label="Progress to the moment of the link">
        {formatCount(Math.floor(done / accumulate))} steps done
        {left === undefined ? '' : `, ${duration(left)} to go`}
      </span>
      <progress aria-label={`Training to ${goal}`} max={microBatch} value={Math.min(done, microBatch)} />
      <button type="button" onClick={player.pause}>
        Stop here
      </button>
    </span>
  );
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`;
  return `${formatCount(Math.ceil(seconds / 3600))} h`;
}
