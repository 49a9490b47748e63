/** The names in a zip archive, from its central directory alone, and the folders that PNG images lie in: each is a class. Nothing is unpacked. */
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LONGEST_COMMENT = 65_557;

export function namesInZip(bytes: Uint8Array<ArrayBuffer>): readonly string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - LONGEST_COMMENT && view.getUint32(end, true) !== END) end--;
  if (end < 0 || view.getUint32(end, true) !== END) return [];
  const names: string[] = [];
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= bytes.length && view.getUint32(at, true) === ENTRY) {
    const length = view.getUint16(at + 28, true);
    names.push(new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length)));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return names;
}

const HIDDEN = /(^|\/)(\.|__MACOSX\/)/;

/** The folder right above each image, each once. */
export function foldersOf(names: readonly string[]): readonly string[] {
  const images = names.filter((name) => /\.png$/i.test(name) && !HIDDEN.test(name));
  return [...new Set(images.flatMap((name) => name.split('/').at(-2) ?? []))];
}
