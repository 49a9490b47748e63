/** After any edits the sizes still agree, checked with the session's own model builder. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkModel } from '../../nn/check-model';
import { parameterList } from '../../nn/model';
import type { Config } from '../../protocol/config';
import { rowOf } from '../../protocol/config/data';
import { image, type RowOfData, tokens, vector } from '../../protocol/config/data-row';
import type { PresetName } from '../../protocol/presets';
import { parameterCount } from '../../shapes/parameters';
import { elements } from '../../tensor/shape';
import { outputOfAll, shapesThrough } from '../model/layer-shapes';
import type { Edit } from './edit-config';
import { changeData, putData } from './edit-data';
import { kindsFor, withLayerAfter, withLayerField, withoutLayer } from './edit-layers';
import { withChannels, withGpt, withLayers } from './edit-model';
import { PAGE_PRESETS, PRESET_NAMES, withPreset } from './page-presets';

const rowIn = (config: Config): RowOfData => {
  const row = rowOf(config.data, config.loss.type);
  if (!row) throw new Error('no row');
  return row;
};

/** Throws in PyTorch's words if the model does not fit. */
function run(config: Config, row = rowIn(config)): void {
  const ids = row.loss === 'CrossEntropyLoss';
  const target = row.kind === 'tokens' ? row.shape : ids ? [] : [row.outputs];
  checkModel(
    config.model.layers,
    {
      input: { shape: row.shape, dtype: row.kind === 'tokens' ? 'i32' : 'f32' },
      target: { shape: target, dtype: ids ? 'i32' : 'f32' },
    },
    config.loss,
    4,
  );
}

const configOf = (edit: Edit): Config => {
  if (!edit.ok) throw new Error(edit.problem);
  return edit.config;
};

describe('layer-shapes', () => {
  it.each(PRESET_NAMES)('%s: counts the parameters that the session makes', (name) => {
    const { layers } = PAGE_PRESETS[name].model;
    const made = parameterList(layers).reduce((sum, { shape }) => sum + elements(shape), 0);
    expect(layers.reduce((sum, layer) => sum + parameterCount(layer), 0)).toBe(made);
  });

  it.each(PRESET_NAMES)('%s: ends with the outputs that the data needs', (name) => {
    const config = PAGE_PRESETS[name];
    const row = rowIn(config);
    expect(outputOfAll(config.model.layers, row.shape)?.at(-1)).toBe(row.outputs);
    run(config);
  });
});

describe('edit-model', () => {
  it('adds and removes layers anywhere, and the rest follows', () => {
    const step = fc.record({ at: fc.nat(), kind: fc.nat(), remove: fc.boolean() });
    void fc.assert(
      fc.property(
        fc.constantFrom<PresetName>('mlp', 'wideMlp', 'cnn'),
        fc.array(step, { maxLength: 6 }),
        (name, steps) => {
          let config = PAGE_PRESETS[name];
          const row = rowIn(config);
          for (const { at, kind, remove } of steps) {
            const { layers } = config.model;
            // The last layer gives the data's outputs, so it stays where it is.
            const index = at % Math.max(1, layers.length - 1);
            const shape = shapesThrough(layers, row.shape)[index + 1];
            const kinds = kindsFor(shape).filter((type) => type !== 'AdaptiveAvgPool2d' && !type.endsWith('Pool2d'));
            const type = kinds[kind % kinds.length];
            const flattens = layers[index]?.type === 'Flatten' || type === 'Flatten';
            if (remove && layers.length > 2 && !flattens && layers[index]?.type !== 'Linear') {
              const edit = withoutLayer(config, index, row);
              if (edit.ok) config = edit.config;
              else expect(edit.problem).toContain('at most 8192');
            } else if (type && type !== 'Flatten') config = configOf(withLayerAfter(config, index, type, row));
          }
          if (config.model.layers.length <= 64) run(config);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lets a change of channels, width or kernel run through the neighbours', () => {
    const cnn = PAGE_PRESETS.cnn;
    const wider = configOf(withLayerField(cnn, 0, 'out', 12, rowIn(cnn)));
    expect(wider.model.layers[1]).toMatchObject({ features: 12 });
    expect(wider.model.layers[4]).toMatchObject({ in: 12 });
    run(wider);
    const smaller = configOf(withLayerField(cnn, 0, 'padding', 0, rowIn(cnn)));
    run(smaller);
    const gpt = PAGE_PRESETS.gpt;
    const narrow = configOf(withLayerField(gpt, 1, 'width', 24, rowIn(gpt)));
    expect(narrow.model.layers.at(-1)).toMatchObject({ in: 24, out: rowIn(gpt).outputs });
    run(narrow);
  });

  it('names the blocks of a GPT by their places', () => {
    const gpt = PAGE_PRESETS.gpt;
    const more = configOf(withLayerAfter(gpt, 1, 'TransformerBlock', rowIn(gpt)));
    expect(more.model.layers.flatMap(({ type, name }) => (type === 'TransformerBlock' ? [name] : []))).toEqual([
      'blocks.0',
      'blocks.1',
      'blocks.2',
    ]);
    run(more);
  });

  it('refuses impossible changes, and says why', () => {
    const { gpt, cnn } = PAGE_PRESETS;
    expect(withGpt(gpt, { layers: 2, heads: 3, width: 64 }, rowIn(gpt))).toMatchObject({ ok: false });
    expect(withChannels(cnn, [0, 4], rowIn(cnn))).toMatchObject({ ok: false });
    expect(withLayers(cnn, [], rowIn(cnn))).toMatchObject({ ok: false });
    expect(withLayerField(cnn, 0, 'kernel', 0, rowIn(cnn))).toMatchObject({ ok: false });
    run(configOf(withGpt(gpt, { layers: 3, heads: 2, width: 16 }, rowIn(gpt))));
    run(configOf(withChannels(cnn, [3, 5], rowIn(cnn))));
  });
});

describe('edit-data', () => {
  const KINDS = ['spiral', 'plane', 'randomRegression', 'prototypes', 'digits', 'shapes', 'sequence', 'text'] as const;

  it('every data set after every preset trains', () => {
    for (const name of PRESET_NAMES) {
      for (const type of KINDS) run(changeData(PAGE_PRESETS[name], type).config);
    }
  });

  it('keeps a model that can be fitted and says when it cannot', () => {
    expect(changeData(PAGE_PRESETS.cnn, 'shapes').replaced).toBe(undefined);
    expect(changeData(PAGE_PRESETS.wideMlp, 'shapes').replaced).toBe(undefined);
    expect(changeData(PAGE_PRESETS.mlp, 'digits').replaced).toBe('cnn');
    expect(changeData(PAGE_PRESETS.cnn, 'text').replaced).toBe('gpt');
    expect(changeData(PAGE_PRESETS.gpt, 'sequence').replaced).toBe(undefined);
    expect(changeData(PAGE_PRESETS.gpt, 'xor').replaced).toBe('mlp');
  });

  it('fits rows that are in a file', () => {
    const { data } = PAGE_PRESETS.mlp;
    for (const row of [
      vector(7, 3, 'CrossEntropyLoss'),
      vector(4, 2, 'MSELoss'),
      image([3, 20, 24], 5),
      tokens(12, 9),
    ]) {
      for (const name of PRESET_NAMES) run(putData(PAGE_PRESETS[name], data, row).config, row);
    }
  });

  it('a preset keeps the machine', () => {
    const machine = {
      ...PAGE_PRESETS.mlp,
      mode: 'dataParallel' as const,
      worldSize: 3,
      seed: 7,
      device: 'cpu' as const,
    };
    expect(withPreset(machine, 'gpt')).toMatchObject({ mode: 'dataParallel', worldSize: 3, seed: 7, device: 'cpu' });
    expect(withPreset({ ...machine, mode: 'modelParallel', worldSize: 4 }, 'cnn').worldSize).toBe(3);
    const clipped = { clipGradNorm: 1, clipGradNormType: 'inf', clipGradValue: 1 } as const;
    expect(Object.keys(withPreset({ ...PAGE_PRESETS.gpt, ...clipped }, 'cnn'))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^clip/)]),
    );
  });
});
