/**
 * The asynchronous part of reading files, to be awaited before the synchronous `makeDataset`: unpacks gzip, decodes and
 * scales PNG images. It returns files that makeDataset reads; other files are unchanged. The necessary libraries are
 * loaded here on demand.
 */
import { loadPart } from '../base/load-part';
import { lookup } from '../base/lookup';
import type { DataConfig } from '../protocol/config';
import type { Files } from '../protocol/session';
import { MAX_FILE_BYTES } from './limits';

/** `maxFileBytes`: how large an archive may be, packed and unpacked. */
export async function prepareFiles(data: DataConfig, files: Files, maxFileBytes = MAX_FILE_BYTES): Promise<Files> {
  switch (data.type) {
    case 'idx':
      return {
        ...files,
        ...(await plain(data.images, lookup(files, data.images), maxFileBytes)),
        ...(await plain(data.labels, lookup(files, data.labels), maxFileBytes)),
      };
    case 'png':
      return (await loadPart('The reader of images', () => import('./prepare-images'))).prepareImages(
        data,
        files,
        maxFileBytes,
      );
    default:
      return files;
  }
}

async function plain(file: string, bytes: Uint8Array<ArrayBuffer> | undefined, maxBytes: number): Promise<Files> {
  if (bytes === undefined || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return {};
  const { gunzip } = await loadPart('The reader of packed files', () => import('./gunzip'));
  return { [file]: await gunzip(file, bytes, maxBytes) };
}
