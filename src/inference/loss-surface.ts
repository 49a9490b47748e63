/**
 * The loss of a net with two weights over a square of weights, and the path of a training run across it. The evaluator
 * computes every loss over all training rows; the positions are the weights after each step. For pictures in the
 * lessons (lessons/record/loss-surface.ts); no run needs it.
 */
import { LockstepError } from '../base/errors';
import { at, must } from '../base/invariant';
import type { Config } from '../protocol/config';
import { type Blueprint, createBlueprint } from '../training/blueprint';
import { createTraining } from '../training/create-training';
import { DeviceKeeper } from '../training/device-keeper';
import { loadParts } from '../training/load-parts';
import { createEvaluator, type ModelState } from './evaluator';
import { gather } from './measure';

export interface SurfacePosition {
  /** The two weights. */
  readonly weights: readonly [number, number];
  readonly loss: number;
}

export interface LossSurface {
  /**
   * [row][column]: in row i the second weight is `from + i * (to - from) / cells`; along columns, the first weight
   * varies in the same way.
   */
  readonly losses: readonly (readonly number[])[];
  /** The positions before the first step and after each step. */
  readonly path: readonly SurfacePosition[];
}

interface Square {
  readonly from: number;
  readonly to: number;
  readonly cells: number;
}

export async function lossSurface(config: Config, { from, to, cells }: Square, steps: number): Promise<LossSurface> {
  await loadParts(config);
  const blueprint = createBlueprint(config, {});
  const loss = lossOf(blueprint);
  const places = Array.from({ length: cells + 1 }, (_, i) => from + (i * (to - from)) / cells);
  return {
    losses: places.map((second) => places.map((first) => loss([first, second]))),
    path: (await weightsOf(blueprint, steps)).map((weights) => ({ weights, loss: loss(weights) })),
  };
}

type Pair = readonly [number, number];

function lossOf(blueprint: Blueprint): (weights: Pair) => number {
  const { inputs, targets } = gather(blueprint, blueprint.dataset.train);
  const evaluator = createEvaluator(blueprint.input, blueprint.dataset.train.length);
  const name = nameOfWeights(blueprint);
  return (weights) => {
    const state: ModelState = new Map([[name, Float32Array.from(weights)]]);
    return evaluator.run(state, inputs, targets).loss;
  };
}

/** The one parameter of the net, which has two elements. */
function nameOfWeights({ parameters }: Blueprint): string {
  const [only, ...others] = parameters;
  if (!only || others.length > 0 || only.data.length !== 2)
    throw new LockstepError(
      'config',
      'A map of the loss needs a net with two weights.',
      'Use one Linear layer with two inputs, one output and no bias.',
    );
  return only.name;
}

async function weightsOf(blueprint: Blueprint, steps: number): Promise<readonly Pair[]> {
  const name = nameOfWeights(blueprint);
  const keeper = new DeviceKeeper(undefined, true);
  const training = await createTraining(blueprint, { keeper, gpu: undefined });
  try {
    const path: Pair[] = [];
    for (let step = 0; step <= steps; step++) {
      const weights = must((await training.weights()).devices[0]?.get(name), name);
      path.push([at(weights, 0), at(weights, 1)]);
      if (step < steps) await training.run(1);
    }
    return path;
  } finally {
    await training.dispose();
    keeper.forget();
  }
}
