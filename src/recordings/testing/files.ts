/** Recorded files of `fixtures/`, and texts as files, for tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RecordingFile } from '../recording-file';

const folder = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}/`, import.meta.url));

/** The files of a recorded run; `only` selects some by name. */
export function recorded(name: string, only: RegExp = /./): readonly RecordingFile[] {
  const names = readdirSync(folder(name)).filter((file) => only.test(file));
  return names.map((file) => fileOf(file, readFileSync(folder(name) + file)));
}

/** A text or bytes as a file that arrives in pieces of this many bytes. */
export function fileOf(name: string, content: string | Uint8Array, pieceBytes = 65_536): RecordingFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    name,
    size: bytes.length,
    stream() {
      let at = 0;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= bytes.length) controller.close();
          else controller.enqueue(bytes.slice(at, at + pieceBytes));
          at += pieceBytes;
        },
      });
    },
  };
}
