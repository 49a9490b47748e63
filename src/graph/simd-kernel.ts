/**
 * The inner loop of matrix products on the CPU as WebAssembly with 128-bit vectors, written here instruction by
 * instruction: JavaScript has no float32 arithmetic of its own, and rounding every product and sum back from double
 * costs more than the sums. Eight vectors of four lanes hold a tile of 4 rows and 8 columns; each lane is one element's
 * accumulator, product rounded and then sum rounded, k in order: the bits of gemm's plain loops. gemm-blocked.ts packs
 * operands for it. Undefined where WebAssembly or its vectors are missing or forbidden; then the plain loops do it all.
 */

export const TILE_ROWS = 4;
export const TILE_COLUMNS = 8;

export interface SimdKernel {
  readonly memory: Float32Array<ArrayBuffer>;
  /**
   * Adds to `panels` tiles of c, one after the other, the products of one panel of a (k x 4) with as many panels of b
   * (k x 8 each). Byte addresses; k and panels at least 1.
   */
  run(a: number, b: number, c: number, k: number, panels: number): void;
}

type Code = readonly number[];

const I32 = 0x7f;
const V128 = 0x7b;
const END = 0x0b;
const VECTOR_BYTES = 16;

/** LEB128, unsigned; also right for the small signed constants used here (below 64). */
function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const more = rest >= 128;
    bytes.push((rest % 128) + (more ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return bytes;
}

const get = (local: number): Code => [0x20, ...leb(local)];
const set = (local: number): Code => [0x21, ...leb(local)];
const i32 = (value: number): Code => [
  0x41,
  ...(value >= 64 ? [(value % 128) + 128, Math.floor(value / 128)] : [value]),
];
const simd = (opcode: number): Code => [0xfd, ...leb(opcode)];
const load = (offset: number): Code => [...simd(0), 4, ...leb(offset)];
const loadSplat = (offset: number): Code => [...simd(9), 2, ...leb(offset)];
const store = (offset: number): Code => [...simd(11), 4, ...leb(offset)];
const add = simd(228);
const multiply = simd(230);
const advance = (local: number, bytes: number): Code => [...get(local), ...i32(bytes), 0x6a, ...set(local)];
/** do { body } while (--counter) */
const repeat = (counter: number, body: Code): Code => [
  ...[0x03, 0x40],
  ...body,
  ...[...get(counter), ...i32(1), 0x6b, 0x22, ...leb(counter)],
  ...[0x0d, 0],
  END,
];

function kernelCode(): Code {
  const [A, B, C, K, PANELS] = [0, 1, 2, 3, 4];
  const [STEP, LEFT] = [5, 6];
  const sum = (row: number, half: number) => 7 + row * 2 + half;
  const [B_LOW, B_HIGH, SPLAT] = [15, 16, 17];
  const rows = [0, 1, 2, 3];
  const tile = rows.flatMap((row) =>
    [0, 1].map((half) => ({ local: sum(row, half), offset: (row * 2 + half) * VECTOR_BYTES })),
  );
  const accumulate = (local: number, b: number): Code => [
    ...get(local),
    ...get(SPLAT),
    ...get(b),
    ...multiply,
    ...add,
    ...set(local),
  ];
  const oneK: Code = [
    ...[...get(B), ...load(0), ...set(B_LOW)],
    ...[...get(B), ...load(VECTOR_BYTES), ...set(B_HIGH)],
    ...rows.flatMap((row) => [
      ...[...get(STEP), ...loadSplat(row * 4), ...set(SPLAT)],
      ...accumulate(sum(row, 0), B_LOW),
      ...accumulate(sum(row, 1), B_HIGH),
    ]),
    ...advance(STEP, TILE_ROWS * 4),
    ...advance(B, TILE_COLUMNS * 4),
  ];
  const onePanel: Code = [
    ...tile.flatMap(({ local, offset }) => [...get(C), ...load(offset), ...set(local)]),
    ...[...get(A), ...set(STEP), ...get(K), ...set(LEFT)],
    ...repeat(LEFT, oneK),
    ...tile.flatMap(({ local, offset }) => [...get(C), ...get(local), ...store(offset)]),
    ...advance(C, TILE_ROWS * TILE_COLUMNS * 4),
  ];
  const locals = [2, 2, I32, 11, V128];
  return [...locals, ...repeat(PANELS, onePanel), END];
}

function moduleBytes(pages: number): Uint8Array<ArrayBuffer> {
  const section = (id: number, content: Code): Code => [id, ...leb(content.length), ...content];
  const name = (text: string): Code => [text.length, ...[...text].map((letter) => letter.charCodeAt(0))];
  const code = kernelCode();
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, ...leb(pages)]),
    ...section(7, [2, ...name('run'), 0, 0, ...name('memory'), 2, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
  ]);
}

export function createSimdKernel(bytes: number): SimdKernel | undefined {
  try {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes(Math.ceil(bytes / 65_536))));
    const { memory, run } = instance.exports;
    if (!(memory instanceof WebAssembly.Memory) || typeof run !== 'function') return undefined;
    return { memory: new Float32Array(memory.buffer), run: run as SimdKernel['run'] };
  } catch {
    return undefined;
  }
}
