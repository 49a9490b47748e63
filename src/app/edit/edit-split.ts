/**
 * Edits of how the work is divided among the ranks: layers per device, the mesh, pipeline stages, the plan of tensor
 * parallelism. Pure; made in the set-up.
 */
import { lookup } from '../../base/lookup';
import { type Config, LIMITS } from '../../protocol/config';
import { type MeshShape, meshSizes, openAxis, ranksOf } from '../../protocol/mesh-sizes';
import { done, type Edit, refused, withoutStages } from './edit-config';

/** Sets the number of layers on each device. */
export function withSplit(config: Config, split: readonly number[]): Edit {
  const total = split.reduce((sum, layers) => sum + layers, 0);
  const layers = config.model.layers.length;
  if (split.some((count) => count < 1)) return refused('each device needs at least one layer');
  if (total !== layers) return refused(`the split places ${total} layers, but the model has ${layers}`);
  return done({ ...config, worldSize: split.length, modelParallel: { ...config.modelParallel, split: [...split] } });
}

/** Changes the size of some axes; the world size follows. */
export function withMesh(config: Config, sizes: Partial<MeshShape>): Edit {
  const most = LIMITS.worldSize;
  const before = meshSizes(config);
  const shape = { ...before, ...sizes };
  const worldSize = ranksOf(shape);
  if (!Object.values(shape).every((size) => Number.isInteger(size) && size >= 1))
    return refused('must be a whole number of at least 1');
  if (worldSize > most)
    return refused(
      `the mesh needs ${Object.values(shape)
        .filter((size) => size > 1)
        .join(' × ')} = ${worldSize} ranks, but a run has at most ${most}`,
    );
  const kept = before.pp === shape.pp ? config : withoutStages(config);
  return done({ ...kept, worldSize, mesh: withoutOpen(config.mode, shape) });
}

/**
 * The axis that takes the remaining ranks has no size setting; the other axes have one only if they have several ranks.
 */
function withoutOpen(mode: Config['mode'], { pp, dpShard, tp, ...others }: MeshShape): Config['mesh'] {
  const open = openAxis(mode);
  const kept = Object.entries({ pp, dpShard, tp }).filter(([axis, size]) => axis !== open && size > 1);
  return { ...others, ...Object.fromEntries(kept) };
}

/**
 * Sets the user's plan; undefined: the plan made for the model. `head`: the layer whose logits the loss can take in
 * parts; it does so if the layer is cut by columns, unless a link or a file has turned loss_parallel off.
 */
export function withTensorPlan(config: Config, plan: Config['tensor']['plan'], head?: string): Config {
  const { plan: _plan, lossParallel, ...tensor } = config.tensor;
  if (plan === undefined) return { ...config, tensor };
  const isCut = head !== undefined && lookup(plan, head) === 'ColwiseParallel';
  const own = lossParallel === false ? { lossParallel } : isCut ? { lossParallel: true } : {};
  return { ...config, tensor: { ...tensor, plan, ...own } };
}

/** Sets the number of layers of each pipeline stage; undefined: stages with about equally many operations. */
export function withStages(config: Config, split: readonly number[] | undefined): Edit {
  if (!split) return done(withoutStages(config));
  const layers = config.model.layers.length;
  const total = split.reduce((sum, count) => sum + count, 0);
  if (split.some((count) => count < 1)) return refused('each stage needs at least one layer');
  if (total !== layers) return refused(`the stages have ${total} layers, but the model has ${layers}`);
  return done({ ...config, pipeline: { ...config.pipeline, split: [...split] } });
}
