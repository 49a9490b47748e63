/** Takes a CSV file that is dropped anywhere on the page, or chosen by the button, and opens the choice of its columns. */
import { type DragEvent, useState } from 'react';
import { useApp, useController } from './use-app';

export interface FileDrop {
  readonly over: boolean;
  setOver(over: boolean): void;
  take(file: File): void;
}

export const MAX_FILE_BYTES = 64 * 2 ** 20;

export function useFileDrop(): FileDrop {
  const [over, setOver] = useState(false);
  const take = useTakeFile();
  return { over, setOver, take };
}

/** Reads the file and trains on it; what is wrong with it comes back as a notice and the old data stays. */
export function useTakeFile(): (file: File) => void {
  const controller = useController();
  const locked = useApp((app) => app.lock.has('data') || app.lock.has('setup'));
  return (file) => {
    if (locked) return;
    if (file.size > MAX_FILE_BYTES) {
      const text = `${file.name} has ${Math.round(file.size / 2 ** 20)} MiB; at most ${MAX_FILE_BYTES / 2 ** 20} MiB are read.`;
      controller.say({ level: 'error', id: 'data', text, hint: 'Cut the file, or use the command line.' });
      return;
    }
    file
      .arrayBuffer()
      .then((buffer) => controller.trainOnCsv(file.name, new Uint8Array(buffer)))
      .catch((error: unknown) => {
        const text = `${file.name} could not be read: ${error instanceof Error ? error.message : String(error)}`;
        controller.say({ level: 'error', id: 'data', text, hint: 'Choose the file again.' });
      });
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
      const file = event.dataTransfer.files[0];
      if (!file) return;
      event.preventDefault();
      drop.take(file);
    },
  };
}
