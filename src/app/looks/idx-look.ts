/** The sizes in the headers of an IDX pair and the highest label: enough to fit a model. Undefined where the files are not such a pair; the session says why. */
interface IdxLook {
  readonly height: number;
  readonly width: number;
  readonly classes: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

async function plain(bytes: Bytes): Promise<Bytes> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const LABELS_START = 8;

export async function lookAtIdx(images: Bytes | undefined, labels: Bytes | undefined): Promise<IdxLook | undefined> {
  if (!images || !labels) return undefined;
  try {
    const [head, numbers] = [await plain(images), await plain(labels)];
    if (head.length < 16 || head[3] !== 3 || numbers[3] !== 1) return undefined;
    const view = new DataView(head.buffer, head.byteOffset);
    const classes = numbers.subarray(LABELS_START).reduce((most, label) => Math.max(most, label), 0) + 1;
    const [height, width] = [view.getUint32(8), view.getUint32(12)];
    return Number.isSafeInteger(height * width) ? { height, width, classes } : undefined;
  } catch {
    // A gzip that does not unpack: the session names the byte.
    return undefined;
  }
}
