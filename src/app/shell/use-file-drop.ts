/**
 * Takes files that are dropped anywhere on the page, or chosen by the button: data to train on, or weights to begin
 * with. Folders are walked, a file keeps its path.
 */
import { type DragEvent, useState } from 'react';
import { LockstepError } from '../../base/errors';
import { loadPart } from '../../base/load-part';
import { PRESETS, type PresetName } from '../../protocol/presets';
import type { Files, Notice } from '../../protocol/session';
import type { GivenFile } from '../looks/dropped-folders';
import { useAppStore, useController } from '../state/use-app';

export interface FileDrop {
  readonly over: boolean;
  setOver(over: boolean): void;
  take(files: readonly GivenFile[]): void;
}

const MAX_FILES_BYTES = 256 * 2 ** 20;
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

export function useFileDrop(): FileDrop {
  const [over, setOver] = useState(false);
  const take = useTakeFiles();
  return { over, setOver, take };
}

/** Reads the files and trains on them; what is wrong with them comes back as a notice and the old data stays. */
export function useTakeFiles(): (files: readonly GivenFile[]) => void {
  const controller = useController();
  const store = useAppStore();
  const sorry = (text: string, hint: string) => controller.say({ level: 'error', id: 'data', text, hint });
  const read = async (given: readonly GivenFile[]): Promise<void> => {
    const entries = given.map(async ({ path, file }) => [path, new Uint8Array(await file.arrayBuffer())] as const);
    const files: Files = Object.fromEntries(await Promise.all(entries));
    const { takeFiles } = await loadPart('The reader of files', () => import('../looks/take-files'));
    const app = store.getState();
    const taking = await takeFiles(app.config, files);
    if (!taking.ok) return sorry(taking.refused.text, taking.refused.hint);
    const { taken } = taking;
    app.dismissNotice('data');
    if (taken.csv) app.addCsv(taken.csv);
    controller.trainOn(taken.files, taken.config, replacedNotice(taken.replaced));
  };
  return (given) => {
    const { lock } = store.getState();
    if (given.length === 0 || lock.has('data') || lock.has('setup')) return;
    const bytes = given.reduce((sum, { file }) => sum + file.size, 0);
    const names = given.length === 1 ? given[0]?.path : `${given.length} files`;
    if (bytes > MAX_FILES_BYTES) {
      sorry(
        `${names}: ${mebibytes(bytes)}; at most ${mebibytes(MAX_FILES_BYTES)} are read.`,
        'Use a part of them, or the command line.',
      );
      return;
    }
    read(given).catch((error: unknown) => {
      if (error instanceof LockstepError) return sorry(error.message, error.hint || 'The old data stays.');
      sorry(
        `${names} could not be read: ${error instanceof Error ? error.message : String(error)}`,
        'Choose the file again.',
      );
    });
  };
}

/** A model of another kind had to make place. */
export const replacedNotice = (preset: PresetName | undefined): Notice | undefined =>
  preset && {
    level: 'info',
    id: 'model-replaced',
    text: `The model could not read these rows; the preset ${PRESETS[preset].title} took its place, with its optimiser and batch.`,
    hint: "Use the browser's Back button to return to the previous run.",
  };

const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');

export function dropsFiles(drop: FileDrop) {
  return {
    onDragEnter: (event: DragEvent) => drop.setOver(carriesFiles(event)),
    onDragOver: (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault();
    },
    onDragLeave: (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node)) drop.setOver(false);
    },
    onDrop: (event: DragEvent) => {
      drop.setOver(false);
      if (event.dataTransfer.files.length === 0 && event.dataTransfer.items.length === 0) return;
      event.preventDefault();
      // Items are gone after this turn: they are asked for their entries now and walked afterwards.
      const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry());
      const plain = [...event.dataTransfer.files].map((file): GivenFile => ({ path: file.name, file }));
      if (!entries.some((entry) => entry?.isDirectory)) drop.take(plain);
      else
        void loadPart('The reader of folders', () => import('../looks/dropped-folders'))
          .then(({ filesIn }) => Promise.all(entries.map((entry) => (entry ? filesIn(entry) : []))))
          .then((all) => drop.take(all.flat()));
    },
  };
}
