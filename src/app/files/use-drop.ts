/**
 * Files that are dropped on a part of the page: the part's event handlers, and whether files are over it now. Events do
 * not bubble, because the surrounding parts would take the files, too. Folders are searched; a file keeps its path.
 */
import { type DragEvent, useState } from 'react';
import { loadPart } from '../../base/load-part';
import type { GivenFile } from '../looks/dropped-folders';

const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');

export function useDrop(take: (files: readonly GivenFile[]) => void) {
  const [over, setOver] = useState(false);
  const handlers = {
    onDragEnter: (event: DragEvent) => {
      event.stopPropagation();
      setOver(carriesFiles(event));
    },
    onDragOver: (event: DragEvent) => {
      event.stopPropagation();
      if (carriesFiles(event)) event.preventDefault();
    },
    onDragLeave: (event: DragEvent) => {
      event.stopPropagation();
      if (!(event.relatedTarget instanceof Node)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      event.stopPropagation();
      setOver(false);
      if (event.dataTransfer.files.length === 0 && event.dataTransfer.items.length === 0) return;
      event.preventDefault();
      void givenIn(event.dataTransfer).then((given) => {
        if (given.length > 0) take(given);
      });
    },
  };
  return { over, handlers };
}

/**
 * The files of a drop, including those in folders. The items are valid only during the event, so their entries are read
 * now and searched afterwards.
 */
async function givenIn(transfer: DataTransfer): Promise<readonly GivenFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files].map((file): GivenFile => ({ path: file.name, file }));
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const { filesIn } = await loadPart('The reader of folders', () => import('../looks/dropped-folders'));
  return (await Promise.all(entries.map((entry) => (entry ? filesIn(entry) : [])))).flat();
}
