/**
 * `torch.get_rng_state()` and `torch.set_rng_state()` of a generator, so that torch can continue our draws and we can
 * continue torch's. The layout is CPUGeneratorImplState of aten/src/ATen/CPUGeneratorImpl.cpp, 5056 bytes: seed, left,
 * seeded, next, 624 words of 64 bits, then cached normals.
 */
import { LockstepError } from '../base/errors';
import { Generator } from './generator';

const BYTES = 5056;
const WORDS = 624;
const STATE = 24;
/** normal_y: the second half of the last pair; normal_is_valid: whether there is one. */
const NORMAL = STATE + 8 * WORDS + 8;
const NORMAL_IS_VALID = STATE + 8 * WORDS + 24;

export function rngState(generator: Generator): Uint8Array<ArrayBuffer> {
  const { state, next, cachedNormal } = generator.position();
  const bytes = new Uint8Array(BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, generator.initialSeed, true);
  // Words left before the next block, without the next one to draw.
  view.setInt32(8, WORDS - next + 1, true);
  view.setInt32(12, 1, true);
  view.setBigUint64(16, BigInt(next), true);
  for (const [i, word] of state.entries()) view.setBigUint64(STATE + 8 * i, BigInt(word), true);
  if (cachedNormal !== undefined) {
    view.setFloat64(NORMAL, cachedNormal, true);
    view.setInt32(NORMAL_IS_VALID, 1, true);
  }
  return bytes;
}

/** The generator that the bytes describe. `what`: their origin, for the error. */
export function generatorFrom(bytes: Uint8Array, what: string): Generator {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const left = bytes.length === BYTES ? view.getInt32(8, true) : 0;
  if (left < 1 || left > WORDS + 1) {
    throw new LockstepError(
      'data',
      `${what}: RNG state is wrong size or invalid: expected ${BYTES} bytes of a CPU generator, found ${bytes.length}`,
      'Use the result of torch.get_rng_state() for a CPU generator.',
    );
  }
  const state = Uint32Array.from({ length: WORDS }, (_, i) => view.getUint32(STATE + 8 * i, true));
  const cachedNormal = view.getInt32(NORMAL_IS_VALID, true) === 0 ? undefined : view.getFloat64(NORMAL, true);
  return Generator.at(view.getBigUint64(0, true), { state, next: WORDS + 1 - left, cachedNormal });
}
