/**
 * The hint "Faster: +" beside the step, shown the first time a user of this browser plays slowly: a button that does
 * what the + key does. The hint goes after the second step, or once the user has chosen a pace, and never returns. A
 * screen reader announces it once. Embeds, and pages whose pace is hidden or locked, have no hint. Used by stage-head.
 */
import { useEffect, useState } from 'react';
import { isFirstTime } from '../notices/first-visit';
import { type Pace, speedOf } from '../pace/pace';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './stage-head.module.css';

const KEY = 'lockstep-knows-faster';
/** The third step takes a quarter of the first's time, so the user sees that Play speeds up by itself. */
const STEPS_SHOWN = 2;

const isSlow = ({ place, held }: Pace): boolean => !held && place < STEPS_SHOWN;

export function FasterHint() {
  const [stage, setStage] = useState<'waiting' | 'shown' | 'done'>('waiting');
  const controller = useController();
  const speed = useApp(({ pace }) => speedOf(pace));
  const slow = useApp(({ pace }) => isSlow(pace));
  // On the way to a link's moment, training runs at full speed at any pace.
  const plays = useApp(({ state, goingTo }) => state === 'playing' && goingTo === undefined);
  const may = useApp(({ embed, hide, lock }) => !embed && !hide.has('speed') && !lock.has('speed') && !lock.has('bar'));
  useEffect(() => {
    if (stage === 'waiting' && may && plays && slow) setStage(isFirstTime(window, KEY) ? 'shown' : 'done');
    else if (stage === 'shown' && !slow) setStage('done');
  }, [stage, may, plays, slow]);
  const shown = stage === 'shown' && plays;
  return (
    <>
      <span className="visually-hidden" aria-live="polite">
        {shown && 'To play faster, press plus.'}
      </span>
      {shown && (
        <button
          type="button"
          className={styles['faster']}
          title="Play at a faster pace, which then stays (+)"
          onClick={() => controller.setSpeed(speed + 1)}
        >
          faster: <kbd>+</kbd>
        </button>
      )}
    </>
  );
}
