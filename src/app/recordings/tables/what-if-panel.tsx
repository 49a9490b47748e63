/**
 * The recorded steps with another bucket cap or over another link: modelled, and labelled so. A step is drawn three
 * times on one scale: as recorded, as modelled without a change, and as modelled with the change.
 */
import { useEffect, useState } from 'react';
import { asLockstepError, type LockstepError } from '../../../base/errors';
import { bytesText } from '../../../recordings/recorded-numbers';
import type { ModelledBucket, WhatIf, WhatIfChange, WhatIfStep } from '../../../recordings/what-if';
import { formatTime } from '../../draw/format';
import { CommitField } from '../../fields/commit-field';
import type { OpenRecordings } from '../desk';
import { stackedRows } from './stacked-rows';
import styles from './tables.module.css';
import whatIfStyles from './what-if.module.css';

type Given = { readonly [K in keyof WhatIfChange]: number | undefined };

const FIELDS = [
  { key: 'bucketCapMb', label: 'bucket cap, MiB', title: 'bucket_cap_mb of DistributedDataParallel' },
  {
    key: 'busBandwidth',
    label: 'bus bandwidth, GB/s',
    title: 'Of an all-reduce over the link, as nccl-tests counts it',
  },
  { key: 'latencyUs', label: 'latency, µs', title: 'Of an all-reduce, whatever its size' },
] as const;

const defined = (given: Given): WhatIfChange =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

interface Found {
  readonly what?: WhatIf;
  readonly problem?: LockstepError;
}

/** The answer to the latest question; until it arrives, the previous answer. */
function useWhatIf(ask: OpenRecordings['whatIf'], given: Given): Found {
  const [found, setFound] = useState<Found>({});
  useEffect(() => {
    let latest = true;
    const show = (answer: Found) => {
      if (latest) setFound(answer);
    };
    ask(defined(given)).then(
      (what) => show({ what }),
      (error: unknown) => show({ problem: asLockstepError(error) }),
    );
    return () => {
      latest = false;
    };
  }, [ask, given]);
  return found;
}

export function WhatIfPanel({ ask }: { readonly ask: OpenRecordings['whatIf'] }) {
  const [given, setGiven] = useState<Given>({
    bucketCapMb: undefined,
    busBandwidth: undefined,
    latencyUs: undefined,
  });
  const found = useWhatIf(ask, given);
  const commit = (key: keyof WhatIfChange) => (text: string) => {
    const value = text === '' ? undefined : Number(text);
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) return 'A number above 0, or nothing.';
    setGiven({ ...given, [key]: value });
    return undefined;
  };
  return (
    <div className={whatIfStyles['root']}>
      <div className={whatIfStyles['fields']}>
        {FIELDS.map(({ key, label, title }) => (
          <CommitField
            key={key}
            label={label}
            title={title}
            text={given[key]?.toString() ?? ''}
            whenEmpty="as recorded"
            commit={commit(key)}
          />
        ))}
      </div>
      {found.problem && (
        <p className={styles['soft']} role="status">
          {found.problem.message} {found.problem.hint}
        </p>
      )}
      {found.what && <Modelled what={found.what} changed={Object.keys(found.what.change).length > 0} />}
    </div>
  );
}

function Modelled({ what, changed }: { readonly what: WhatIf; readonly changed: boolean }) {
  const step = typicalStep(what);
  const longest = Math.max(1, step?.recordedUs ?? 0, step?.unchangedUs ?? 0, step?.changedUs ?? 0);
  return (
    <div>
      <ul className={whatIfStyles['said']} aria-label="Modelled" aria-live="polite">
        {(changed ? what.sentences : what.sentences.slice(-2)).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {step && (
        <figure className={whatIfStyles['figure']}>
          <figcaption>step {step.step}, its mean over ranks, with the all-reduces of its buckets</figcaption>
          <Bar name="recorded" us={step.recordedUs} longest={longest} buckets={[]} />
          <Bar name="modelled, unchanged" us={step.unchangedUs} longest={longest} buckets={step.before} />
          {changed && <Bar name="modelled, changed" us={step.changedUs} longest={longest} buckets={step.after} />}
        </figure>
      )}
    </div>
  );
}

/** The step of median length. */
const typicalStep = ({ steps }: WhatIf): WhatIfStep | undefined =>
  [...steps].sort((a, b) => a.recordedUs - b.recordedUs)[steps.length >> 1];

interface BarProps {
  readonly name: string;
  readonly us: number;
  readonly longest: number;
  readonly buckets: readonly ModelledBucket[];
}

const ROW = 15;

function Bar({ name, us, longest, buckets }: BarProps) {
  const share = (part: number): string => `${(100 * part) / longest}%`;
  const rows = stackedRows(buckets);
  const height = 6 + ROW * Math.max(1, rows.length);
  return (
    <div className={whatIfStyles['row']}>
      <span>
        {name} <b>{formatTime(us)}</b>
      </span>
      <div className={whatIfStyles['track']}>
        <div
          className={whatIfStyles['step']}
          style={{ width: share(us), height }}
          data-recorded={name === 'recorded' || undefined}
        />
        {rows.flatMap((row, i) =>
          row.map(({ bytes, startUs, endUs }) => (
            <i
              key={`${bytes} ${startUs}`}
              title={`${bytesText(bytes)}: ${formatTime(endUs - startUs)} from ${formatTime(startUs)}`}
              style={{ left: share(startUs), width: share(endUs - startUs), top: 3 + i * ROW, height: ROW - 2 }}
            >
              {bytesText(bytes)}
            </i>
          )),
        )}
      </div>
    </div>
  );
}
