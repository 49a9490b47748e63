/**
 * The sizes in the headers of an IDX pair and the highest label: enough to fit a model. Undefined if the files are not
 * such a pair; the session says why.
 */
interface IdxLook {
  readonly height: number;
  readonly width: number;
  readonly classes: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The beginning of the file, unpacked. */
async function plain(bytes: Bytes, most: number): Promise<Bytes> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const start = new Uint8Array(most);
  let length = 0;
  while (length < most) {
    const { done, value } = await reader.read();
    if (done) return start.subarray(0, length);
    start.set(value.subarray(0, most - length), length);
    length += value.length;
  }
  await reader.cancel();
  return start;
}

const IMAGES_START = 16;
const LABELS_START = 8;
const MOST_LABELS = 2 ** 20;

export async function lookAtIdx(images: Bytes | undefined, labels: Bytes | undefined): Promise<IdxLook | undefined> {
  if (!images || !labels) return undefined;
  try {
    const [head, numbers] = [await plain(images, IMAGES_START), await plain(labels, LABELS_START + MOST_LABELS)];
    if (head.length < IMAGES_START || head[3] !== 3 || numbers[3] !== 1) return undefined;
    const view = new DataView(head.buffer, head.byteOffset);
    const classes = numbers.subarray(LABELS_START).reduce((most, label) => Math.max(most, label), 0) + 1;
    const [height, width] = [view.getUint32(8), view.getUint32(12)];
    return Number.isSafeInteger(height * width) ? { height, width, classes } : undefined;
  } catch {
    // The gzip cannot be unpacked; the session names the byte of the error.
    return undefined;
  }
}
