/** Writes a file, which is on disk when the promise resolves. */
import { open } from 'node:fs/promises';

export async function writeThrough(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
