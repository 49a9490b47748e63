/**
 * The names in a zip archive, from its directory alone, and the folders that PNG images lie in: each is a class.
 * Nothing is unpacked.
 */
import { zipEntries } from '../../session/unpack-zip';

export const namesInZip = (bytes: Uint8Array<ArrayBuffer>): readonly string[] =>
  (zipEntries(bytes) ?? []).map(({ name }) => name);

const HIDDEN = /(^|\/)(\.|__MACOSX\/)/;

/** The folder right above each image, each once. */
export function foldersOf(names: readonly string[]): readonly string[] {
  const images = names.filter((name) => /\.png$/i.test(name) && !HIDDEN.test(name));
  return [...new Set(images.flatMap((name) => name.split('/').at(-2) ?? []))];
}
