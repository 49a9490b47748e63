/** The result: what the net has learnt, how the loss went, and the numbers that each mode is judged by. */
import { useApp } from '../use-app';
import { Field } from './field';
import { LossChart } from './loss-chart';
import { Numbers } from './numbers';
import styles from './result.module.css';
import { Scores } from './scores';

export function Result() {
  const hide = useApp((app) => app.hide);
  return (
    <>
      <div className={styles['pictures']}>
        {!hide.has('field') && <Field />}
        {!hide.has('loss') && <LossChart />}
      </div>
      <Scores />
      {!hide.has('numbers') && <Numbers />}
    </>
  );
}
