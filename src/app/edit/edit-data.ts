/**
 * Changes the data set together with the model, so that the run can train at once: if the layers can be fitted (first
 * and last sizes, loss) they are kept, else the preset for such rows replaces them, and the result says so. Pure.
 */
import * as v from 'valibot';
import { type Config, type DataConfig, dataSchema, type ToyData } from '../../protocol/config';
import { type BuiltInData, isToyType, rowOf } from '../../protocol/config/data';
import type { RowOfData } from '../../protocol/config/data-row';
import type { PresetName } from '../../protocol/presets';
import { fitToRow, lossFor } from '../model/fit-model';
import { presetsFor, withPreset } from './page-presets';

export const isToy = (data: DataConfig): data is Extract<DataConfig, { type: ToyData }> => isToyType(data.type);

export interface DataChange {
  readonly config: Config;
  /** The preset whose model and training replaced the old ones. */
  readonly replaced: PresetName | undefined;
}

/** Sets the data and fits the model to its rows; for data in a file, the caller passes the row. */
export function putData(config: Config, data: DataConfig, row = rowOf(data, config.loss.type)): DataChange {
  const next = { ...config, data };
  // An empty file has empty rows: the session refuses it by name.
  if (!row || [...row.shape, row.outputs].some((size) => size < 1)) return { config: next, replaced: undefined };
  const fitted = fitToRow(next, row);
  if (fitted) return { config: withFittingSplit(fitted), replaced: undefined };
  for (const name of presetsFor(row.kind)) {
    const preset = { ...withPreset(config, name), data };
    const { layers } = preset.model;
    // A plain net can read flattened images, for example images too small for the convolutions.
    const flat =
      row.kind === 'image' && name === 'mlp' ? { layers: [{ type: 'Flatten' as const }, ...layers] } : preset.model;
    const made = fitToRow({ ...preset, model: flat }, row);
    if (made) return { config: withFittingSplit(made), replaced: name };
  }
  // No preset's model accepts such rows: the session says what is wrong with them.
  return { config: next, replaced: undefined };
}

/** Removes a split that was made for another number of layers. */
function withFittingSplit(config: Config): Config {
  const { split, ...modelParallel } = config.modelParallel;
  const placed = split?.reduce((sum, layers) => sum + layers, 0);
  return placed === undefined || placed === config.model.layers.length ? config : { ...config, modelParallel };
}

/** Chooses another built-in set; settings that both have (test split; noise and samples of the toy sets) stay. */
export function changeData(config: Config, type: BuiltInData): DataChange {
  const old = config.data;
  const toys = isToy(old) && isToyType(type);
  const kept = toys ? { samples: old.samples, noise: old.noise } : {};
  return putData(config, v.parse(dataSchema, { ...kept, type, testFraction: old.testFraction }));
}

export const withData = (config: Config, type: BuiltInData): Config => changeData(config, type).config;

/** Fits the same model after a change within the data (size of the images, task, symbols). */
export function fitToData(config: Config): Config {
  return putData(config, config.data).config;
}

/** Sets the loss, and, for data with two classes, the number of outputs that it needs. */
export function withLoss(config: Config, loss: Config['loss'], row: RowOfData | undefined): Config {
  const next = { ...config, loss };
  const wanted = isToy(config.data) ? rowOf(config.data, loss.type) : row;
  const fitted = wanted && fitToRow(next, wanted);
  // If the loss does not suit the data, the session refuses it in PyTorch's words.
  return fitted && lossFor(loss, wanted) === loss ? fitted : next;
}
