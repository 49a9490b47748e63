/**
 * Turns weights read back at one step into what the page shows: how far replicas are apart, losses, field, and the views of results. It composes; each part has a
 * file of its own. One a run, as the parts keep their evaluators.
 */
import type { Snapshot } from '../protocol/session';
import { ignoreIndexOf } from './accuracy';
import type { Blueprint } from './blueprint';
import type { ModelState } from './evaluator';
import { createMeasure, type Measured } from './measure';
import { mergedState } from './merged-weights';
import type { Weights } from './training';
import { type Classified, confusion } from './views/confusion';
import { createField } from './views/field';
import { imageReader } from './views/images';
import { createLanguage, type Language } from './views/language';
import { misclassified } from './views/misclassified';
import { differenceFromSingle, replicaDivergence } from './weight-differences';

/** Floating-point operations that a snapshot may spend on losses, for training and test rows each. */
const MEASURE_FLOPS = 40_000_000;
const PREDICTIONS = 200;

export interface Snapshots {
  take(weights: Weights): Snapshot;
  /** Weights of the last snapshot. */
  readonly state: ModelState | undefined;
  readonly language: Language | undefined;
}

export function createSnapshots(blueprint: Blueprint): Snapshots {
  const { dataset, config, parameters } = blueprint;
  const measure = createMeasure(blueprint, MEASURE_FLOPS);
  const field = createField(blueprint);
  const image = imageReader(dataset);
  const language = createLanguage(blueprint);
  const byClass = dataset.targets instanceof Int32Array && dataset.targetShape.length === 0;
  const classified = (of: 'train' | 'test', { rows, outputs, outputWidth, targets }: Measured): Classified => ({
    rows,
    of,
    outputs,
    width: outputWidth,
    targets,
    ignoreIndex: ignoreIndexOf(config.loss),
  });
  let last: ModelState | undefined;

  return {
    get state() {
      return last;
    },
    language,
    take(weights) {
      const state = mergedState(blueprint, weights);
      last = state;
      const { train, test } = measure.run(state);
      const seen = byClass ? classified(test ? 'test' : 'train', test ?? train) : undefined;
      return {
        step: weights.step,
        parameters: weights.devices.map((own) => parameters.map(({ name }) => own.get(name))),
        replicaDivergence: replicaDivergence(blueprint, weights),
        differenceFromSingle: differenceFromSingle(blueprint, weights),
        trainLoss: train.loss,
        testLoss: test?.loss,
        trainAccuracy: train.accuracy,
        testAccuracy: test?.accuracy,
        field: field?.(state),
        predictions: dataset.task === 'regression' ? pairs(train) : [],
        confusion: seen && confusion(seen),
        misclassified: seen && image ? misclassified(seen, image) : [],
        sampledText: language?.sample(state),
        answers: language?.answers(state) ?? [],
      };
    },
  };
}

/** The first target and output of each row. */
function pairs({ rows, targets, outputs, outputWidth }: Measured): [number, number][] {
  const targetWidth = targets.length / rows.length;
  return Array.from({ length: Math.min(rows.length, PREDICTIONS) }, (_, i) => [
    targets[i * targetWidth] ?? 0,
    outputs[i * outputWidth] ?? 0,
  ]);
}
