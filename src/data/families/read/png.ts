/**
 * Images of PNG folders, decoded and scaled by `prepare-images.ts`: [1 or 3, size, size] from 0 to 1, one class per
 * folder.
 */

import { must } from '../../../base/invariant';
import { lookup } from '../../../base/lookup';
import type { DataConfig } from '../../../protocol/config';
import type { Files } from '../../../protocol/session';
import { dataFamily, type Rows } from '../../family';
import { PREPARED } from '../../prepare-images';

function png({ size, color }: Extract<DataConfig, { type: 'png' }>, files: Files): Rows {
  const prepared = (name: string) => must(lookup(files, name), `${name}; prepareFiles comes before makeDataset`);
  const names = JSON.parse(new TextDecoder().decode(prepared(PREPARED.classes))) as readonly string[];
  return {
    kind: 'image',
    inputs: new Float32Array(aligned(prepared(PREPARED.pixels))),
    inputShape: [color ? 3 : 1, size, size],
    targets: {
      kind: 'labels',
      classes: names.length,
      values: new Int32Array(aligned(prepared(PREPARED.labels))),
      names,
    },
  };
}

/** The bytes as a separate buffer; their own buffer if they fill it. */
const aligned = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): ArrayBuffer =>
  byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);

export const family = dataFamily({
  type: 'png',
  rows: ({ config, files }) => png(config, files),
});
