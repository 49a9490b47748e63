/** SHA-256 of weights: each parameter's float32 little-endian bytes, and all of them in state_dict order. */
async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, '0')).join('');
}

/** Copies the bytes if threads share the memory, because digest() refuses shared memory. */
function bytesOf(values: Float32Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = values;
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : new Uint8Array(values.slice().buffer as ArrayBuffer);
}

export interface WeightsHash {
  readonly all: string;
  readonly byName: Readonly<Record<string, string>>;
}

export async function hashWeights(weights: ReadonlyMap<string, Float32Array>): Promise<WeightsHash> {
  const byName: [string, string][] = [];
  for (const [name, values] of weights) byName.push([name, await sha256(bytesOf(values))]);
  const all = new Float32Array([...weights.values()].reduce((n, a) => n + a.length, 0));
  let offset = 0;
  for (const values of weights.values()) {
    all.set(values, offset);
    offset += values.length;
  }
  return { all: await sha256(bytesOf(all)), byName: Object.fromEntries(byName) };
}
