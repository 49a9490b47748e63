/** A file that has reached the disk when the promise is done. */
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
