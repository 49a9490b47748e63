import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { exportFiles } from '../../headless/export-run';
import { zipOfFolder } from './zip-of-folder';

test('the .zip has every file of the folder as it is, and scripts that can be executed', async () => {
  const { files } = await exportFiles({ mode: 'ddp', worldSize: 2, steps: 3 }, {});
  const zip = zipOfFolder(files);
  const found = unzipSync(zip);
  expect(Object.keys(found).toSorted()).toEqual(Object.keys(files).toSorted());
  for (const [name, content] of Object.entries(files)) {
    const bytes = found[name] ?? new Uint8Array();
    if (typeof content === 'string') expect(new TextDecoder().decode(bytes), name).toBe(content);
    else expect(Buffer.from(bytes).equals(Buffer.from(content)), name).toBe(true);
  }
  expect(permissions(zip)).toMatchObject({ 'run.sh': '755', 'job.sbatch': '755', 'train.py': '644' });
});

/** The permissions in the central directory: the upper half of each entry's external attributes. */
function permissions(zip: Uint8Array<ArrayBuffer>): Readonly<Record<string, string>> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const found: Record<string, string> = {};
  for (let at = 0; at + 46 < zip.length; at++) {
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + view.getUint16(at + 28, true)));
    found[name] = (view.getUint16(at + 40, true) & 0o777).toString(8);
  }
  return found;
}
