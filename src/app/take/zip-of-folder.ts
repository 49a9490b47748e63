/** An exported folder as a .zip whose scripts are executable. Pure. */
import { strToU8, type ZippableFile, zipSync } from 'fflate';
import type { ExportedFolder } from '../../protocol/exported';

/** Unix as the creating system, so that the attributes are read as Unix permissions. */
const UNIX = 3;
const mode = (bits: number): number => bits << 16;

export function zipOfFolder(files: ExportedFolder['files']): Uint8Array<ArrayBuffer> {
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]): [string, ZippableFile] => {
        const isScript = typeof content === 'string' && content.startsWith('#!');
        const bytes = typeof content === 'string' ? strToU8(content) : content;
        return [name, [bytes, { os: UNIX, attrs: mode(isScript ? 0o100755 : 0o100644) }]];
      }),
    ),
  );
}
