/**
 * Opens the recordings that the user requests: by buttons and drops, by a link, or by files dropped on the page;
 * updates the link.
 */
import { useEffect } from 'react';
import { useUrlSync } from '../address/use-address';
import type { GivenFile } from '../looks/dropped-folders';
import { GIVEN_RECORDINGS, openReport } from '../looks/given';
import { lookAt } from '../looks/recording-look';
import { type ExampleId, isExample } from '../permalink/recording-link';
import { writeSlice } from '../state/store-slice';
import { useApp, useAppStore, useSlice } from '../state/use-app';
import type { Desk } from './desk';

export interface Asking {
  files(files: readonly GivenFile[]): Promise<void>;
  example(id: ExampleId): void;
}

/** Opens files and examples; the link names the example that is open. A report is compared with the run. */
export function useAsking(desk: Desk): Asking {
  const setView = useApp((app) => app.setView);
  const store = useAppStore();
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
        return openReport(store, first);
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
  const given = useSlice(GIVEN_RECORDINGS);
  const asked = useApp((app) => app.recording);
  useEffect(() => {
    if (!given) return;
    writeSlice(store, GIVEN_RECORDINGS, undefined);
    void desk.read(given);
  }, [desk, given, store]);
  useEffect(() => {
    const { opened, reading } = desk.store.getState();
    if (isExample(asked) && opened?.example !== asked && !reading) void desk.readExample(asked);
  }, [desk, asked]);
}
