/**
 * Runs one task at a time: a new task, Cancel, or closing the dialog stops the previous task. Used by use-report.ts.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { asLockstepError, type LockstepError } from '../../base/errors';

export type ReportTask = 'reading' | 'running';

interface OneTask {
  readonly busy: ReportTask | undefined;
  readonly failure: LockstepError | undefined;
  /**
   * `task` must obey the signal; the function that it resolves to is called unless the task was stopped. Never rejects.
   */
  during(what: ReportTask, task: (signal: AbortSignal) => Promise<() => void>): Promise<void>;
  cancel(): void;
}

export function useOneTask(): OneTask {
  const [busy, setBusy] = useState<ReportTask>();
  const [failure, setFailure] = useState<LockstepError>();
  const current = useRef<AbortController>(undefined);

  const stop = useCallback(() => {
    current.current?.abort();
    current.current = undefined;
  }, []);
  useEffect(() => {
    return stop;
  }, [stop]);
  const during = useCallback(
    async (what: ReportTask, task: (signal: AbortSignal) => Promise<() => void>) => {
      stop();
      const own = new AbortController();
      current.current = own;
      setBusy(what);
      setFailure(undefined);
      let then: () => void;
      try {
        then = await task(own.signal);
      } catch (error) {
        then = () => setFailure(asLockstepError(error));
      }
      if (own.signal.aborted) return;
      setBusy(undefined);
      then();
    },
    [stop],
  );
  const cancel = useCallback(() => {
    stop();
    setBusy(undefined);
  }, [stop]);
  return { busy, failure, during, cancel };
}
