/** One bar per step whose trace is kept, as high as the step's loss; choosing a bar shows the step on the stage. */
import { stepWords } from '../../protocol/micro-batches';
import { formatLoss, stepNumber } from '../draw/format';
import { useController } from '../run/use-controller';
import { isConstruct } from '../state/kept-run';
import { useApp, useSettled } from '../state/use-app';
import styles from './steps-strip.module.css';

const LOWEST = 0.2;

export function StepsStrip() {
  const { player } = useController();
  const traces = useSettled((app) => app.traces, 200);
  const chosen = useSettled((app) => app.cursor?.trace, 80);
  const locked = useApp((app) => app.lock.has('transport'));
  const construct = useApp((app) => app.info?.construct !== undefined);
  if (traces.length < 2 && !construct) return null;
  const losses = traces.map((t) => t.losses.loss).filter(Number.isFinite);
  const least = Math.min(...losses);
  const range = Math.max(1e-9, Math.max(...losses) - least);
  return (
    <fieldset className={styles['strip']} disabled={locked}>
      <legend>kept steps</legend>
      {construct && (
        <button
          type="button"
          title="What DDP’s constructor sent before the first step: rank 0’s parameters and buffers, to every rank"
          onClick={() => void player.showConstruct()}
        >
          construct
        </button>
      )}
      {traces.map((trace, index) => {
        const { loss } = trace.losses;
        const share = Number.isFinite(loss) ? LOWEST + ((1 - LOWEST) * (loss - least)) / range : 1;
        const name = isConstruct(trace)
          ? 'construct'
          : `${stepWords(trace.microBatch, trace, stepNumber)}, loss ${formatLoss(loss)}`;
        return (
          <label key={trace.microBatch} title={name}>
            <input
              type="radio"
              name="kept-step"
              aria-label={name}
              checked={index === chosen}
              onChange={() => player.seek(index, trace.events.length - 1)}
            />
            <i style={{ height: `${100 * share}%` }} />
          </label>
        );
      })}
    </fieldset>
  );
}
