/** Every rank writes the checkpoint: the file is nobody's, and a reader says so; rank 0 alone leaves a good one. */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { readSafetensors } from '../../interop/safetensors';
import { NET, savedAfter } from '../testing/checkpoint-runs';
import { readCheckpoint } from './read-checkpoint';
import { tornWrite, writtenByRank0 } from './torn-write';

const file = (rank: number, length = 64) => new Uint8Array(length).fill(rank + 1);

test('the same seed gives the same file; each byte comes from the named rank', () => {
  const files = [0, 1, 2].map((rank) => file(rank, 60 + rank));
  for (let seed = 0; seed < 20; seed++) {
    const torn = tornWrite(files, 16, seed);
    expect(tornWrite(files, 16, seed)).toEqual(torn);
    expect([...torn.bytes]).toEqual(Array.from(torn.writer, (rank) => rank + 1));
    expect(torn.stretches.reduce((n, s) => n + s.to - s.from, 0)).toBe(torn.bytes.length);
    expect(
      torn.calls
        .filter((c) => c.call === 'open')
        .map((c) => c.rank)
        .toSorted(),
    ).toEqual([0, 1, 2]);
    expect(torn.torn).toBe(
      new Set(torn.writer).size > 1 || torn.bytes.length !== at(files, at(torn.writer, 0))?.length,
    );
  }
});

test('ranks that hold the same bytes tear nothing but by holes; ranks of one size whose bytes differ do', () => {
  const differ = Array.from({ length: 40 }, (_, seed) => tornWrite([file(0), file(1)], 8, seed));
  expect(differ.some((t) => t.torn)).toBe(true);
  const same = Array.from({ length: 40 }, (_, seed) => tornWrite([file(0), file(0)], 8, seed));
  for (const { torn, writer } of same) expect(torn).toBe(writer.includes(-1));
});

test('a real checkpoint that two ranks write is refused; by rank 0 alone it reads', async () => {
  // As with rankSeeds: the ranks are of different opinions.
  const one = await savedAfter({ ...NET, mode: 'single', compareSingle: false }, 3);
  const two = await savedAfter({ ...NET, mode: 'single', compareSingle: false, seed: 4 }, 3);
  const states = [one, two].map((files) => files['run.state.safetensors'] ?? new Uint8Array());
  const torn = Array.from({ length: 20 }, (_, seed) => tornWrite(states, 512, seed)).filter((t) => t.torn);
  expect(torn.length).toBeGreaterThan(5);
  for (const { bytes } of torn) {
    expect(() => readCheckpoint('run', { ...one, 'run.state.safetensors': bytes })).toThrow(
      /run\.state\.safetensors, byte \d+/,
    );
  }
  const cured = writtenByRank0(states, 512, 7);
  expect(cured.torn).toBe(false);
  expect(readSafetensors('run', cured.bytes).length).toBeGreaterThan(0);
  expect(readCheckpoint('run', { ...one, 'run.state.safetensors': cured.bytes }).microBatch).toBe(3);
});
