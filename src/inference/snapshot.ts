/**
 * Makes a snapshot for the page from the weights read back at one step: the difference between replicas, losses, the
 * field, and the views of results. It only combines the parts, which have their own files. One per run, because the
 * parts keep their evaluators.
 */
import { must } from '../base/invariant';
import { loadAll, Part } from '../base/part';
import { stepOf } from '../protocol/micro-batches';
import type { ShownViews, Snapshot } from '../protocol/snapshot';
import type { Blueprint } from '../training/blueprint';
import { mergedState } from '../training/weights/merged-weights';
import { differenceFromSingle, replicaDivergence } from '../training/weights/weight-differences';
import type { Weights } from '../training/weights/weights';
import type { ModelState } from './evaluator';
import { createMeasure, type Measured } from './measure';
import { createFieldView } from './views/field';
import { SlicedView, type Slices } from './views/slices';
import { asksTokens } from './views/tokens';

/** The cost limit of a snapshot for losses, for training and test rows each, and for a slice of each further view. */
const MEASURE_NS = 30e6;
const SLICE_NS = 20e6;
const PREDICTIONS = 200;

export interface Snapshots {
  /** `hurry`: training continues meanwhile, so slow views may still show an earlier step. */
  take(weights: Weights, hurry?: boolean): Snapshot;
  /** Weights of the last snapshot. */
  readonly state: ModelState | undefined;
}

const LANGUAGE_VIEWS = new Part('The views of language models', () => import('./views/of-language'));
const CLASSES_VIEW = new Part('The views of classes', () => import('./views/classes'));
if (!globalThis.LOCKSTEP_SITE) await loadAll([LANGUAGE_VIEWS, CLASSES_VIEW]);

/** One class per row. */
const hasClasses = ({ targets, targetShape }: Blueprint['dataset']): boolean =>
  targets instanceof Int32Array && targetShape.length === 0;

/** To be awaited before createSnapshots, which is synchronous. */
export async function loadViews(blueprint: Blueprint): Promise<void> {
  const { dataset } = blueprint;
  await loadAll([...(asksTokens(dataset) ? [LANGUAGE_VIEWS] : []), ...(hasClasses(dataset) ? [CLASSES_VIEW] : [])]);
}

const sliced = <T>(start: ((state: ModelState) => Slices<T>) | undefined) => start && new SlicedView(start);

export function createSnapshots(blueprint: Blueprint, shown: ShownViews = {}): Snapshots {
  const { config, dataset, parameters } = blueprint;
  const measure = createMeasure(blueprint, MEASURE_NS);
  const views = asksTokens(dataset) ? LANGUAGE_VIEWS.get() : undefined;
  const language = views?.languageOf(blueprint);
  const field = sliced(shown.field === false ? undefined : createFieldView(blueprint));
  const classes = sliced(hasClasses(dataset) ? CLASSES_VIEW.get().createClassesView(blueprint) : undefined);
  const text = sliced(language && views?.createTextView(language));
  const answers = sliced(language && views?.createAnswersView(language));
  let last: ModelState | undefined;

  return {
    get state() {
      return last;
    },
    take(weights, hurry = false) {
      const state = mergedState(blueprint, weights);
      last = state;
      const { train, test } = measure.run(state);
      const budgetNs = hurry ? SLICE_NS : Number.POSITIVE_INFINITY;
      const byClass = classes?.take(state, budgetNs);
      return {
        step: stepOf(weights.microBatch, config),
        microBatch: weights.microBatch,
        parameters: parameters.map(({ name }) => must(state.get(name), name)),
        replicaDivergence: replicaDivergence(blueprint, weights),
        differenceFromSingle: differenceFromSingle(blueprint, weights),
        trainLoss: train.loss,
        testLoss: test?.loss,
        trainAccuracy: train.accuracy,
        testAccuracy: test?.accuracy,
        field: field?.take(state, budgetNs),
        predictions: dataset.task === 'regression' ? pairs(train) : [],
        confusion: byClass?.confusion,
        misclassified: byClass?.misclassified ?? [],
        sampledText: text?.take(state, budgetNs),
        answers: answers?.take(state, budgetNs) ?? [],
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
