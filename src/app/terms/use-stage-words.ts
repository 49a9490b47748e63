/** The words of stage-words.ts, fetched when the session has answered, so that Play need not wait for them. */
import { useEffect, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { useApp } from '../state/use-app';

type StageWords = typeof import('./stage-words');

/** Undefined until they are loaded; 'missing' if loading failed. */
export function useStageWords(): StageWords | 'missing' | undefined {
  const answered = useApp((app) => app.state !== 'loading' || app.traces.length > 0);
  const [words, setWords] = useState<StageWords | 'missing'>();
  useEffect(() => {
    if (!answered) return undefined;
    let here = true;
    loadPart('The words of the stage', () => import('./stage-words')).then(
      (loaded) => here && setWords(loaded),
      () => here && setWords('missing'),
    );
    return () => {
      here = false;
    };
  }, [answered]);
  return words;
}
