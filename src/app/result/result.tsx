/**
 * The result: what the model has learnt, in views that depend on its data, the loss over the steps, and the numbers by
 * which modes are compared.
 */
import { useMemo } from 'react';
import { FACES } from '../../parallel/faces';
import { loadedPanel } from '../boundary/loaded-panel';
import { useApp } from '../state/use-app';
import { Field } from './field';
import { Numbers } from './headline-numbers';
import { LossChart } from './loss-chart';
import styles from './result.module.css';
import { Scores } from './scores';
import { Views } from './views/views';
import { hasField, viewsFor } from './views/views-for';

/** Types of data that are never shown as a field, known before the data are made. */
const WITHOUT_FIELD: ReadonlySet<string> = new Set(['digits', 'shapes', 'idx', 'png', 'sequence', 'text']);

const ScheduleFacts = loadedPanel(
  'The numbers of the schedule',
  async () => (await import('../pipeline/schedule-facts')).ScheduleFacts,
);

export function Result() {
  const hide = useApp((app) => app.hide);
  const info = useApp((app) => app.info);
  const views = useMemo(() => (info ? viewsFor(info) : []), [info]);
  const pictures = !hide.has('field');
  const type = useApp((app) => app.config.data.type);
  const field = pictures && (info ? hasField(info.dataset) : !WITHOUT_FIELD.has(type));
  const scheduled = useApp((app) => app.info && FACES[app.info.config.mode].sections?.includes('pipeline'));
  const learnt = (
    <>
      <Scores />
      {pictures && views.length > 0 && <Views ids={views} />}
    </>
  );
  return (
    <>
      <div className={styles['pictures']} data-wide={!field || undefined}>
        {field && <Field />}
        {!hide.has('loss') && <LossChart />}
      </div>
      {hide.has('numbers') ? learnt : <Numbers>{learnt}</Numbers>}
      {/* This part is long, so it is below the numbers that every mode has. */}
      {scheduled && !hide.has('numbers') && <ScheduleFacts />}
    </>
  );
}
