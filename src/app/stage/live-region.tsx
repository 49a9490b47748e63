/**
 * Announces the current moment to a screen reader: politely, and only when the user steps or scrubs, or when there is a
 * notice. While training runs freely it announces only the state.
 */

import { plainText } from '../../trace/moments/marked';
import { useApp } from '../state/use-app';
import { useSentence } from './use-sentence';

const STATES = {
  loading: 'Starting',
  paused: '',
  playing: 'Training',
  finished: 'Training has finished',
  failed: 'Training has stopped',
} as const;

export function LiveRegion() {
  const state = useApp((app) => app.state);
  const busy = useApp((app) => app.busy);
  const { sentence: marked } = useSentence(600);
  const sentence = plainText(marked);
  const stands = useApp((app) => app.standstill !== undefined && app.state === 'playing');
  // Without the remaining time, which a screen reader would announce every second.
  const who = sentence.replace(/, \d+ s until the timeout/, '');
  return (
    <p className="visually-hidden" aria-live="polite" data-live>
      {state === 'paused' ? sentence : stands ? who : busy || STATES[state]}
    </p>
  );
}
