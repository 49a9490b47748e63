/**
 * Answers the user's requests to the model while it learns: a prediction for one input, text from a prompt, the
 * attention on a row. It uses given weights and an evaluator for one row, made at the first request. One per run;
 * running.ts owns it.
 */
import { LockstepError } from '../base/errors';
import type { AttentionMap } from '../protocol/session';
import { elements, formatShape } from '../tensor/shape';
import type { Blueprint } from '../training/blueprint';
import { createEvaluator, type Evaluator, type ModelState } from './evaluator';
import { type GenerateRequest, generate } from './generate';
import { gather } from './measure';
import { softmax } from './views/argmax';
import { attentionMaps } from './views/attention';
import type { Decoder } from './views/decoder';
import { languageOf } from './views/language';

export interface Attention {
  readonly tokens: readonly string[];
  readonly maps: readonly AttentionMap[];
}

export interface Inference {
  predict(state: ModelState, input: Float32Array): Float32Array<ArrayBuffer>;
  generate(state: ModelState, request: GenerateRequest): Promise<string>;
  attention(state: ModelState, row: number): Attention;
}

export function createInference(blueprint: Blueprint): Inference {
  const language = languageOf(blueprint);
  const { dataset, input, table } = blueprint;
  let made: Evaluator | undefined;
  let decoder: Decoder | undefined;
  const evaluator = (): Evaluator => {
    made ??= createEvaluator(input, 1);
    return made;
  };
  return {
    predict(state, values) {
      checkInput(blueprint, values);
      return probabilities(blueprint, evaluator().run(state, values).outputs);
    },
    async generate(state, request) {
      if (language) {
        // A separate decoder, because a request continues while snapshots decode.
        decoder ??= language.createDecoder();
        return generate(language, decoder, state, request);
      }
      throw new LockstepError(
        'data',
        'This model cannot write text: its data are not tokens.',
        'Choose the data "text" or a sequence task.',
      );
    },
    attention(state, row) {
      if (!Number.isInteger(row) || row < 0 || row >= dataset.rows) {
        const last = dataset.rows - 1;
        throw new LockstepError('data', `The data have no row ${row}.`, `Choose a row from 0 to ${last}.`, {
          row,
          last,
        });
      }
      const { inputs } = gather(blueprint, Int32Array.of(row));
      evaluator().run(state, inputs);
      const maps = attentionMaps(evaluator());
      if (maps.length === 0) {
        const hint = 'Choose a model with TransformerBlock or MultiheadAttention layers.';
        throw new LockstepError('config', 'This model has no attention layer.', hint);
      }
      const text = (id: number) => dataset.vocabulary?.[id] ?? String(id);
      return { tokens: table.inputType === 'i32' ? Array.from(inputs, text) : [], maps };
    },
  };
}

function checkInput({ dataset, table }: Blueprint, values: Float32Array): void {
  const { inputWidth, inputType } = table;
  if (values.length !== inputWidth) {
    throw new LockstepError(
      'shape',
      `Expected an input of ${inputWidth} values ${formatShape(dataset.inputShape)}, got ${values.length}.`,
      'Give the values of one row of inputs.',
      { expected: inputWidth, given: values.length },
    );
  }
  const ids = dataset.vocabulary?.length ?? Number.POSITIVE_INFINITY;
  const wrong = inputType === 'i32' ? values.findIndex((v) => !Number.isInteger(v) || v < 0 || v >= ids) : -1;
  if (wrong < 0) return;
  throw new LockstepError(
    'data',
    `Position ${wrong} of the input is ${values[wrong]}, expected a token id from 0 to ${ids - 1}.`,
    'Give token ids of the vocabulary.',
    { position: wrong },
  );
}

/**
 * The outputs of one row as the loss interprets them: softmax over classes (at each position of a sequence), a sigmoid
 * each, or the numbers themselves.
 */
function probabilities({ config, table, dataset }: Blueprint, outputs: Float32Array): Float32Array<ArrayBuffer> {
  if (config.loss.type === 'BCEWithLogitsLoss') return Float32Array.from(outputs, (x) => 1 / (1 + Math.exp(-x)));
  if (table.targetType !== 'i32') return Float32Array.from(outputs);
  const places = elements(dataset.targetShape);
  const width = outputs.length / places;
  const result = new Float32Array(outputs.length);
  for (let place = 0; place < places; place++) result.set(softmax(outputs, place * width, width), place * width);
  return result;
}
