/**
 * The preview of the data for the page: images as bytes, sequences as text, names; and files that must be unpacked
 * first.
 */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { type ConfigInput, DEFAULT_CONFIG } from '../../protocol/config';
import { gptLayers } from '../../protocol/presets';
import { openTestSession } from '../../session/testing/open-session';
import { createBlueprint } from '../../training/blueprint';
import { imageReader } from './images';
import { preview } from './preview';

const previewOf = (config: ConfigInput) => preview(createBlueprint(parseConfig({ device: 'cpu', ...config }), {}));
const linear = (width: number, outputs: number): ConfigInput['model'] => ({
  layers: [{ type: 'Flatten' }, { type: 'Linear', in: width, out: outputs }],
});

test('points: neither images nor sequences', () => {
  const shown = previewOf({ data: { type: 'xor', samples: 20, testFraction: 0.25 } });
  expect(shown).toMatchObject({ kind: 'points', inputShape: [2], classNames: ['0', '1'], images: [], sequences: [] });
  expect(shown.points).toHaveLength(20);
  expect(shown.points.filter(([, , , isTest]) => isTest === 1)).toHaveLength(5);
});

test('images: up to 40 training rows as bytes, with the names of the classes', () => {
  const config: ConfigInput = {
    model: linear(64, 6),
    loss: { type: 'CrossEntropyLoss' },
    data: { type: 'shapes', size: 8, samples: 60, testFraction: 0.25 },
  };
  const { dataset } = createBlueprint(parseConfig(config), {});
  const shown = previewOf(config);
  expect(shown).toMatchObject({ kind: 'image', inputShape: [1, 8, 8], outputs: 6, points: [] });
  expect(shown.classNames).toHaveLength(6);
  expect(shown.images.map(({ row }) => row)).toEqual(Array.from(dataset.train.subarray(0, 40)));
  for (const { row, label, pixels, shape } of shown.images) {
    expect([label, shape]).toEqual([dataset.targets[row], [1, 8, 8]]);
    pixels.forEach((byte, i) => {
      expect(Math.abs(byte / 255 - at(dataset.inputs, 64 * row + i))).toBeLessThanOrEqual(0.5 / 255 + 1e-6);
    });
  }
});

test('pixels outside 0 to 1 are scaled together', () => {
  const { dataset } = createBlueprint(DEFAULT_CONFIG, {});
  const image = imageReader({
    ...dataset,
    kind: 'image',
    inputShape: [1, 1, 3],
    inputs: Float32Array.of(-1, 0, 3, 1, 1, 1),
  });
  expect(image?.(0, 4)).toEqual({ row: 0, label: 4, shape: [1, 1, 3], pixels: Uint8Array.of(0, 64, 255) });
  expect(image?.(1, 0).pixels).toEqual(Uint8Array.of(128, 128, 128));
});

test('sequences as text, with dots for positions without a target', () => {
  const shown = previewOf({
    model: { layers: gptLayers({ vocab: 5, context: 6, width: 8, heads: 2, layers: 1 }) },
    loss: { type: 'CrossEntropyLoss' },
    data: { type: 'sequence', task: 'reverse', length: 3, symbols: 4, samples: 20 },
    batchSize: 4,
  });
  expect(shown).toMatchObject({
    kind: 'tokens',
    inputShape: [6],
    vocabulary: ['0', '1', '2', '3', '>'],
    classNames: [],
  });
  expect(shown.sequences).toHaveLength(8);
  for (const { input, target } of shown.sequences) {
    const [a, b, c] = input;
    expect(input.slice(0, 6)).toBe(`${a}${b}${c}>${c}${b}`);
    expect(target).toBe(`···${c}${b}${a}`);
  }
});

test('gzipped IDX files are unpacked before a session opens or runs', async () => {
  const images = Uint8Array.of(
    0,
    0,
    8,
    3,
    0,
    0,
    0,
    4,
    0,
    0,
    0,
    2,
    0,
    0,
    0,
    2,
    ...Array.from({ length: 16 }, (_, i) => 16 * i),
  );
  const labels = Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 4, 0, 1, 2, 1);
  const files = {
    'images.gz': Uint8Array.from(gzipSync(images)),
    'labels.gz': Uint8Array.from(gzipSync(labels)),
  };
  const config: ConfigInput = {
    device: 'cpu',
    model: linear(4, 3),
    loss: { type: 'CrossEntropyLoss' },
    data: { type: 'idx', images: 'images.gz', labels: 'labels.gz' },
    batchSize: 2,
    steps: 3,
  };
  const s = await openTestSession(config, { files });
  expect(s.info.dataset.images.map(({ label }) => label)).toEqual([0, 1, 2, 1]);
  expect(at(s.info.dataset.images, 1).pixels).toEqual(Uint8Array.of(64, 80, 96, 112));
  expect((await s.api.run(config, files)).steps).toBe(3);
  await expect(
    s.api.open(config, { ...files, 'labels.gz': files['labels.gz'].slice(0, 12) }, ...ports()),
  ).rejects.toMatchObject({
    code: 'data',
    message: expect.stringMatching(/labels\.gz/),
  });
  // The earlier run is still open.
  expect((await s.api.traceStep()).step).toBe(0);
  await s.close();
});

function ports(): [MessagePort, MessagePort] {
  const [a, b] = [new MessageChannel(), new MessageChannel()];
  for (const { port1 } of [a, b]) port1.close();
  return [a.port2, b.port2];
}
