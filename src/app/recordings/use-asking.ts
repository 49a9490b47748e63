/** What is asked for: by buttons and drops, by a link, by files that were dropped on the page. The link follows. */
import { useEffect } from 'react';
import type { GivenFile } from '../looks/dropped-folders';
import { lookAt } from '../looks/recording-look';
import { useUrlSync } from '../permalink/use-permalink';
import { useApp, useAppStore } from '../state/use-app';
import type { Desk } from './desk';
import { type ExampleId, isExample } from './recording-link';

export interface Asking {
  files(files: readonly GivenFile[]): Promise<void>;
  example(id: ExampleId): void;
}

/** Opens files and examples; the link names the example that is open. A report is compared with the run. */
export function useAsking(desk: Desk): Asking {
  const setView = useApp((app) => app.setView);
  const openReport = useApp((app) => app.openReport);
  const urlSync = useUrlSync();
  const link = (recording: string | undefined) => {
    setView({ recording });
    urlSync.write();
  };
  return {
    async files(files) {
      const [first, second] = files;
      if (first && !second && (await lookAt(first).catch(() => undefined)) === 'report') {
        link(undefined);
        return openReport(first);
      }
      link('');
      await desk.read(files);
    },
    example(id) {
      void desk.readExample(id);
      link(id);
    },
  };
}

/** The example that a link names, and files that were dropped on the page. */
export function useAskedFor(desk: Desk): void {
  const store = useAppStore();
  const given = useApp((app) => app.givenRecordings);
  const asked = useApp((app) => app.recording);
  useEffect(() => {
    if (!given) return;
    store.setState({ givenRecordings: undefined });
    void desk.read(given);
  }, [desk, given, store]);
  useEffect(() => {
    const { opened, reading } = desk.store.getState();
    if (isExample(asked) && opened?.example !== asked && !reading) void desk.readExample(asked);
  }, [desk, asked]);
}
