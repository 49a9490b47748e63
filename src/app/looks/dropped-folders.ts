/**
 * The files of a folder that was dropped, with their paths. Fetched when the first folder is dropped
 * (files/use-drop.ts).
 */

export interface GivenFile {
  /** The file's path, including the dropped folders. */
  readonly path: string;
  readonly file: File;
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** The files in a folder; unreadable and hidden files are left out. */
export async function filesIn(entry: FileSystemEntry): Promise<readonly GivenFile[]> {
  if (entry.name.startsWith('.')) return [];
  if (isFile(entry)) {
    const path = entry.fullPath.replace(/^\//, '');
    return new Promise((resolve) =>
      entry.file(
        (file) => resolve([{ path, file }]),
        () => resolve([]),
      ),
    );
  }
  if (!isDirectory(entry)) return [];
  const reader = entry.createReader();
  const found: FileSystemEntry[] = [];
  // A reader returns some entries per call, and none at the end.
  for (;;) {
    const some = await new Promise<readonly FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (some.length === 0) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(filesIn))).flat();
}
