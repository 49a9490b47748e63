/**
 * The names in a zip archive, from its directory alone, and the folders that contain PNG images: each folder is a
 * class. Nothing is unpacked.
 */
import { zipEntries } from '../../session/unpack-zip';

export const namesInZip = (bytes: Uint8Array<ArrayBuffer>): readonly string[] =>
  (zipEntries(bytes) ?? []).map(({ name }) => name);

const HIDDEN = /(^|\/)(\.|__MACOSX\/)/;

/** The folders that directly contain images, without repetition. */
export function foldersOf(names: readonly string[]): readonly string[] {
  const images = names.filter((name) => /\.png$/i.test(name) && !HIDDEN.test(name));
  return [...new Set(images.flatMap((name) => name.split('/').at(-2) ?? []))];
}
