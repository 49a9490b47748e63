import { gzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { writeNpy } from '../../data/readers/npy';
import type { Files } from '../../protocol/session';
import { PAGE_PRESETS } from '../edit/page-presets';
import { type Taken, takeFiles } from './take-files';

const bytes = (text: string) => new TextEncoder().encode(text);
const { mlp, gpt } = PAGE_PRESETS;

async function take(files: Files, config = mlp): Promise<Taken> {
  const taking = await takeFiles(config, files);
  if (!taking.ok) throw new Error(taking.refused.text);
  return taking.taken;
}

function idx(dimensions: readonly number[], data: readonly number[]): Uint8Array<ArrayBuffer> {
  const head = [0, 0, 8, dimensions.length, ...dimensions.flatMap((n) => [0, 0, n >> 8, n & 255])];
  return Uint8Array.from([...head, ...data]);
}

describe('takeFiles', () => {
  it('a text: the model is over its characters', async () => {
    const { config, replaced } = await take({ 'a.txt': bytes('hello hello hello') });
    expect(replaced).toBe('gpt');
    expect(config.data).toMatchObject({ type: 'text', file: 'a.txt' });
    expect(config.model.layers[0]).toMatchObject({ type: 'TokenEmbedding', vocab: 5 });
    expect((await take({ 'a.txt': bytes('hello') }, gpt)).replaced).toBe(undefined);
  });

  it('an IDX pair, also packed, in any order', async () => {
    const images = idx([3, 8, 12], new Array(288).fill(1));
    const labels = idx([3], [0, 4, 2]);
    for (const packed of [false, true]) {
      const pack = (raw: Uint8Array<ArrayBuffer>) => (packed ? new Uint8Array(gzipSync(raw)) : raw);
      const end = packed ? '.gz' : '';
      const { config, replaced } = await take({
        [`train-labels-idx1-ubyte${end}`]: pack(labels),
        [`train-images-idx3-ubyte${end}`]: pack(images),
      });
      expect(replaced).toBe('cnn');
      expect(config.data).toMatchObject({ type: 'idx', images: `train-images-idx3-ubyte${end}` });
      expect(config.model.layers.at(-1)).toMatchObject({ out: 5, in: 16 * 2 * 3 });
    }
  });

  it('a .npy pair: classes where the targets are whole numbers', async () => {
    const inputs = writeNpy(new Float32Array(12), [4, 3]);
    const classes = await take({ 'data.npy': inputs, 'labels.npy': writeNpy(Int32Array.from([0, 1, 2, 1]), [4]) });
    expect(classes.config.loss.type).toBe('CrossEntropyLoss');
    expect(classes.config.model.layers.at(-1)).toMatchObject({ out: 3 });
    const numbers = await take({ 'b.npy': writeNpy(new Float32Array(8), [4, 2]), 'a.npy': inputs });
    expect(numbers.config.loss.type).toBe('MSELoss');
    expect(numbers.config.data).toMatchObject({ inputs: 'a.npy', targets: 'b.npy' });
    expect(numbers.config.model.layers.at(-1)).toMatchObject({ out: 2 });
  });

  it('images in folders: a class each', async () => {
    const image = bytes('not looked at');
    const zip = new Uint8Array(zipSync({ 'set/cat/1.png': image, 'set/dog/1.png': image, 'set/.hidden/1.png': image }));
    const packed = await take({ 'pets.zip': zip });
    expect(packed.config.data).toMatchObject({ type: 'png', zip: 'pets.zip' });
    expect(packed.config.model.layers.at(-1)).toMatchObject({ out: 2 });
    const loose = await take({ 'a/1.png': image, 'b/1.png': image, 'c/1.png': image });
    expect(loose.config.model.layers.at(-1)).toMatchObject({ out: 3 });
    expect('zip' in loose.config.data).toBe(false);
  });

  it('a weights file becomes initial weights', async () => {
    const { config } = await take({ 'model.safetensors': bytes('x') });
    expect(config).toEqual({ ...mlp, weights: 'model.safetensors' });
  });

  it('files that fit nothing are refused by name', async () => {
    const text = async (files: Files) => {
      const taking = await takeFiles(mlp, files);
      return taking.ok ? '' : taking.refused.text;
    };
    expect(await text({ 'a.mp3': bytes('x') })).toContain('a.mp3');
    expect(await text({ 'a.npy': bytes('x') })).toContain('two .npy files');
    expect(await text({ 'x-images-idx3-ubyte': bytes('x') })).toContain('two files');
    expect(await text({ 'a.csv': bytes('') })).toContain('a.csv has no rows');
    expect(await text({ 'a.csv': bytes('1,2'), 'b.txt': bytes('x') })).toContain('different kinds');
  });
});
