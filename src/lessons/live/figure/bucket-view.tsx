/**
 * DDP's buckets in the step at the cursor: how they fill, wait and travel. The playground's panel, without settings.
 */
import { useMemo } from 'react';
import { BucketRows } from '../../../app/buckets/bucket-rows';
import { bucketsOfStep, bucketTimes } from '../../../app/buckets/bucket-times';
import panel from '../../../app/buckets/buckets.module.css';
import { useApp, useSettled } from '../../../app/state/use-app';
import styles from './views.module.css';

export function BucketView() {
  const info = useApp((app) => app.info?.buckets);
  const clock = useApp((app) => app.clock);
  const overlap = useApp((app) => app.config.ddp.overlap);
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 120);
  const times = useMemo(
    () => (trace && info ? bucketTimes(trace, clock, 0, bucketsOfStep(info, trace.kind), overlap) : []),
    [trace, clock, info, overlap],
  );
  if (!trace || times.length === 0) return <p className={panel['note']}>No bucket is all-reduced in this step.</p>;
  return (
    <div className={`${panel['panel']} ${styles['bucketRows']}`}>
      <BucketRows trace={trace} clock={clock} times={times} />
    </div>
  );
}
