/** Unpacks gzip; refuses a file that is damaged or too large. Called by prepare-files.ts. */
import { unpackedAtMost } from '../base/reading-bounds';
import { dataError } from './data-error';
import { checkFileSize } from './limits';
import { joined } from './readers/unpack';

export async function gunzip(
  file: string,
  bytes: Uint8Array<ArrayBuffer>,
  maxFileBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const maxBytes = unpackedAtMost(bytes.length, maxFileBytes);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      const reason = error instanceof Error && error.message !== '' ? ` (${error.message})` : '';
      throw dataError(
        { file },
        `gzip that does not unpack${reason}`,
        'a whole gzip file',
        'The file is cut off or damaged; download it again.',
      );
    });
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length > maxBytes) await reader.cancel();
    checkFileSize({ file }, length, maxBytes);
  }
  return joined(parts);
}
