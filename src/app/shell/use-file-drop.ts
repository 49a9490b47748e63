/**
 * Takes files that are dropped anywhere on the page, or chosen by the button: data to train on, or weights to begin
 * with. Folders are walked, a file keeps its path.
 */
import { type DragEvent, useState } from 'react';
import type { LockstepError } from '../../base/errors';
import { loadPart } from '../../base/load-part';
import type { GivenFile } from '../looks/dropped-folders';
import { useAppStore, useController } from '../state/use-app';

export interface FileDrop {
  readonly over: boolean;
  setOver(over: boolean): void;
  take(files: readonly GivenFile[]): void;
}

export function useFileDrop(): FileDrop {
  const [over, setOver] = useState(false);
  const take = useTakeFiles();
  return { over, setOver, take };
}

/** Trains on the files; what is wrong with them comes back as a notice and the old data stays. */
export function useTakeFiles(): (files: readonly GivenFile[]) => void {
  const controller = useController();
  const store = useAppStore();
  return (given) => {
    const { lock } = store.getState();
    if (given.length === 0 || lock.has('data') || lock.has('setup')) return;
    loadPart('The reader of files', () => import('../looks/read-given')).then(
      ({ readGiven }) => readGiven(given, store, controller),
      (error: LockstepError) =>
        controller.say({ level: 'error', id: 'data', text: error.message, hint: error.hint || 'The old data stays.' }),
    );
  };
}

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
