/**
 * `torch.get_rng_state()` of a generator: what torch.set_rng_state takes to draw on from there. The layout is CPUGeneratorImplState of
 * aten/src/ATen/CPUGeneratorImpl.cpp, 5056 bytes: seed, left, seeded, next, 624 words of 64 bits, then cached normals.
 */
import { LockstepError } from '../base/errors';
import type { Generator } from './generator';

const BYTES = 5056;
const WORDS = 624;

/** Throws where half a pair of normals is left over, which no data set leaves. */
export function rngState(generator: Generator): Uint8Array<ArrayBuffer> {
  const { state, next, hasNormal } = generator.position();
  if (hasNormal) throw new LockstepError('internal', 'the generator holds half a pair of normals');
  const bytes = new Uint8Array(BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, generator.initialSeed, true);
  // Words that are left before the next block, the one that is drawn next not counted.
  view.setInt32(8, WORDS - next + 1, true);
  view.setInt32(12, 1, true);
  view.setBigUint64(16, BigInt(next), true);
  for (const [i, word] of state.entries()) view.setBigUint64(24 + 8 * i, BigInt(word), true);
  return bytes;
}
