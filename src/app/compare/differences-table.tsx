/** The numbers of both runs at the shown step, and how B differs from A. */
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { formatSmall, stepNumber } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import fields from '../fields/fields.module.css';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './compare.module.css';
import { differencesOf, factsOf, sameSamples, weightDifference } from './difference-rows';
import type { RunComparison } from './use-comparison';

const OTHER_SAMPLES =
  'The two runs read different rows in this step, and that alone makes their losses and weights differ. DDP’s DistributedSampler shuffles in its own order; with Shuffle off, every run reads the rows in the order of the data set.';

export function DifferencesTable({ comparison }: { comparison: RunComparison }) {
  const { duo, services } = comparison;
  const step = useStore(duo.state, (state) => state.step);
  const tracks = useStore(duo.state, (state) => state.tracks);
  const clock = useApp((app) => app.clock);
  const a = useApp((app) => app.info);
  const b = useStore(services.store, (app) => app.info);
  const weightsOfA = useApp((app) => app.snapshot);
  const weightsOfB = useStore(services.store, (app) => app.snapshot);
  const weights = useMemo(() => weightDifference(weightsOfA, weightsOfB), [weightsOfA, weightsOfB]);
  const facts = useMemo(() => {
    const [first, second] = tracks;
    const ofA = first && a && factsOf(first.traces, clock, a);
    const ofB = second && b && factsOf(second.traces, clock, b);
    return ofA && ofB && { a: ofA, b: ofB };
  }, [tracks, clock, a, b]);
  if (step === undefined || !facts) return null;
  return (
    <>
      <table className={styles['table']}>
        <caption>Step {stepNumber(step)} in numbers; × 2 means that B has twice as much as A, ÷ 2 half as much</caption>
        <ColumnHeads names={['', 'A', 'B', 'B beside A']} />
        <tbody>
          {differencesOf(facts.a, facts.b, clock).map(({ name, about, a: ofA, b: ofB, difference }) => (
            <tr key={name}>
              <th scope="row">
                {name} <small>{about}</small>
              </th>
              <td>{ofA}</td>
              <td>{ofB}</td>
              <td>{difference}</td>
            </tr>
          ))}
          {weights !== undefined && (
            <tr>
              <th scope="row">
                Weights{' '}
                <small>
                  largest difference between a weight of A and the same weight of B, after step {weightsOfA?.step}
                </small>
              </th>
              <td />
              <td />
              <td>{formatSmall(weights)}</td>
            </tr>
          )}
        </tbody>
      </table>
      {!sameSamples(facts.a, facts.b) && (
        <div className={styles['note']}>
          <p>{OTHER_SAMPLES}</p>
          <SameRows comparison={comparison} />
        </div>
      )}
    </>
  );
}

/** A button that makes both runs train on the same rows and keeps run B's other differences. */
function SameRows({ comparison }: { comparison: RunComparison }) {
  const controller = useController();
  const config = useApp((app) => app.config);
  const { store, controller: ofSecond } = comparison.services;
  const other = useStore(store, (app) => app.config);
  if (!config.shuffle && !other.shuffle) return null;
  const turnOff = () => {
    if (config.shuffle) controller.apply({ ...config, shuffle: false });
    else ofSecond.apply({ ...other, shuffle: false });
  };
  return (
    <button type="button" className={fields['button']} onClick={turnOff}>
      Turn Shuffle off in both
    </button>
  );
}
