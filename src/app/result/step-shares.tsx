/**
 * The shares of a step's time, averaged over the devices: computing, waiting for communication, idle. The parts come
 * from the timeline's lanes and add up to the step; pressing a part explains it.
 */
import type { Metrics } from '../../trace/metrics';
import { wholePercents } from '../draw/format';
import styles from './result.module.css';
import { Status } from './scores';

export function StepSharesView({ metrics }: { readonly metrics: Metrics }) {
  const { clock, shares } = metrics;
  const [computing = 0, waiting = 0, idle = 0] = wholePercents([
    shares.computing,
    shares.waitingForCommunication,
    shares.idle,
  ]);
  // Computed from the rounded idle part, so that its two parts add up to it.
  const others = shares.idle > 0 ? Math.round((idle * shares.idleForOthers) / shares.idle) : 0;
  const turn = clock === 'measured' ? ', or for its turn on the processor that all devices share here' : '';
  const parts = [
    { kind: 'computing', name: 'Computing', percent: computing, about: 'Kernels run on the device.' },
    {
      kind: 'waiting',
      name: 'Waits for communication',
      percent: waiting,
      about:
        'The device sends or receives and computes nothing, because backward, the next stage or the optimiser needs data that is still in flight. The timeline marks this communication as "exposed".',
    },
    {
      kind: 'idle',
      name: 'Idle',
      percent: idle,
      about: `The device neither computes nor communicates. ${others} %: it waits for another device${turn}; ${idle - others} %: its part of the step is done.`,
    },
  ] as const;
  return (
    <section aria-label="Where the step goes" className={styles['shares']}>
      <p>Where the step goes, mean over devices, {clock}:</p>
      <div className={styles['sharesBar']} aria-hidden="true">
        {parts.map(({ kind, percent }) => (
          <i key={kind} data-kind={kind} style={{ flexGrow: percent }} />
        ))}
      </div>
      <div className={styles['sharesParts']}>
        {parts.map(({ kind, name, percent, about }) => (
          <details key={kind} name="step-shares">
            <summary>
              <i data-kind={kind} aria-hidden="true" />
              <b>
                <Status name={name} text={`${percent} %`} />
              </b>{' '}
              {name.toLowerCase()}
            </summary>
            <p>{about}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
