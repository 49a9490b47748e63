/**
 * Checks that the model fits its data: builds the layers one by one with sizes only, and throws in PyTorch's words with
 * the layer, the sizes and the remedy. Called by `session` before anything is planned, so that the page can point at
 * the layer.
 */
import { LockstepError } from '../base/errors';
import { refusedSettings } from '../base/refused-settings';
import { GraphBuilder } from '../graph/graph';
import type { TensorType, ValueId } from '../graph/op';
import { OPS } from '../graph/op-table';
import type { LayerConfig, LossConfig } from '../protocol/config';
import { elements, type Shape } from '../tensor/shape';
import { buildLoss } from './losses';
import { buildForward, parameterList, parametersOfLayer } from './model';

/** One row of the data: shapes without the batch. */
export interface DataShape {
  readonly input: TensorType;
  readonly target: TensorType;
}

const size = (shape: Shape): string => `torch.Size([${shape.join(', ')}])`;
const withRows = (rows: number, { shape, dtype }: TensorType): TensorType => ({ shape: [rows, ...shape], dtype });

/**
 * Returns the shape of one row of the model's output. `rows` is the batch size. data/ checks class indices, because it
 * knows the rows.
 */
export function checkModel(layers: readonly LayerConfig[], data: DataShape, loss: LossConfig, rows = 1): Shape {
  const builder = new GraphBuilder(OPS);
  let current = builder.value('x', withRows(rows, data.input), 'input');
  const made = new Map<string, ValueId>();
  let source = 'the data has';
  for (const [index, layer] of layers.entries()) {
    const before = builder.typeOf(current).shape;
    try {
      current = buildForward(builder, layers, current, { range: { start: index, end: index + 1 }, made }).output;
    } catch (error) {
      throw explained(error, layer, index, before, source);
    }
    const changed = builder.typeOf(current).shape.join() !== before.join();
    if (changed || parametersOfLayer(layer, index).length > 0) source = `layer ${index} gives`;
  }
  if (parameterList(layers).length === 0) {
    throw refusedSettings({
      code: 'shape',
      settings: { 'model.layers': layers },
      why: 'optimizer got an empty parameter list',
      hint: 'Add a layer with weights, such as Linear: no layer of this model has weights.',
    });
  }
  checkLoss(builder, current, loss, data.target, rows);
  return builder.typeOf(current).shape.slice(1);
}

/** Adds the layer to the operator's complaint. */
function explained(error: unknown, layer: LayerConfig, index: number, shape: Shape, source: string): unknown {
  if (!(error instanceof LockstepError) || error.code === 'internal') return error;
  const features = shape.at(-1) ?? 1;
  const details = { ...error.details, layer: index, expected: features };
  if (layer.type !== 'Linear' || shape.length < 2)
    return new LockstepError(error.code, `${nameOf(layer, index)}: ${error.message}`, error.hint, details);
  const flat = elements(shape.slice(1));
  const hint =
    shape.length > 2 && layer.in === flat
      ? `Put a Flatten layer before it: ${source} rows of shape [${shape.slice(1).join(', ')}].`
      : `Set in_features of layer ${index} to ${features}: ${source} ${features} columns.`;
  return new LockstepError(error.code, `${nameOf(layer, index)}: ${error.message}`, hint, {
    ...details,
    actual: layer.in,
  });
}

const nameOf = ({ type }: LayerConfig, index: number): string => `model.layers.${index} (${type})`;

function checkLoss(builder: GraphBuilder, output: ValueId, loss: LossConfig, target: TensorType, rows: number): void {
  const outputs = builder.typeOf(output).shape.slice(1);
  const details = { outputs: outputs.at(-1) ?? 1, columns: target.shape.at(-1) ?? 1 };
  const settings = { 'loss.type': loss.type };
  const indices = loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss';
  if (indices && target.dtype !== 'i32') {
    throw refusedSettings({
      code: 'data',
      settings,
      why: 'expected scalar type Long but found Float',
      hint: `${loss.type} takes class indices; for real-valued targets use MSELoss.`,
      details,
    });
  }
  if (!indices && (target.dtype === 'i32' || target.shape.join() !== outputs.join())) {
    const [own, given] = [size([rows, ...target.shape]), size([rows, ...outputs])];
    const hint = `Set out_features of the last Linear layer to ${details.columns}: the target has that many columns.`;
    const why =
      loss.type === 'BCEWithLogitsLoss'
        ? `Target size (${own}) must be the same as input size (${given})`
        : `Using a target size (${own}) that is different to the input size (${given})`;
    throw refusedSettings({ code: 'shape', settings, why, hint, details });
  }
  try {
    buildLoss(builder, loss, output, builder.value('y', withRows(rows, target), 'target'));
  } catch (error) {
    if (!(error instanceof LockstepError)) throw error;
    const hint =
      outputs.length > 1 + target.shape.length ? 'Put a Flatten layer before the last Linear layer.' : error.hint;
    throw refusedSettings({ code: error.code, settings, why: error.message.replace(/\.$/, ''), hint, details });
  }
}
