/** Writes a typed array as a .npy file (format version 1.0, little-endian, C order). */

export function npyFile(values: Float32Array | BigInt64Array, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  const type = values instanceof Float32Array ? '<f4' : '<i8';
  const size = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`;
  const dictionary = `{'descr': '${type}', 'fortran_order': False, 'shape': ${size}, }`;
  // Magic, version and length take 10 bytes; the data begins at a multiple of 64.
  const header = `${dictionary.padEnd(64 * Math.ceil((dictionary.length + 11) / 64) - 11)}\n`;
  const file = new Uint8Array(10 + header.length + values.byteLength);
  file.set([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0, header.length & 255, header.length >> 8]);
  file.set(new TextEncoder().encode(header), 10);
  file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 10 + header.length);
  return file;
}
