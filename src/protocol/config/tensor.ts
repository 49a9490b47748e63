/**
 * A parallelize_plan as torch.distributed.tensor.parallel takes it: a style for each module, by its path in the
 * state_dict ('0', 'blocks.1.qkv') or by a pattern in which * stands for one part of a path. Styles and layouts have
 * torch's names.
 */
import * as v from 'valibot';
import { noList, settings } from './fields';

/** Styles that cut a module, and two that change the layout of its input or output. */
export const STYLE_NAMES = [
  'ColwiseParallel',
  'RowwiseParallel',
  'SequenceParallel',
  'PrepareModuleInput',
  'PrepareModuleOutput',
] as const;
export type StyleName = (typeof STYLE_NAMES)[number];

/** How the ranks hold a tensor. Shard(1) is the dimension of a sequence, Shard(-1) that of the features. */
export const LAYOUTS = ['Replicate', 'Shard(1)', 'Shard(-1)'] as const;
export type StyleLayout = (typeof LAYOUTS)[number];

const layout = v.optional(v.picklist(LAYOUTS));

/** Entries of a plan, and characters of a path. */
const [MOST_ENTRIES, LONGEST_PATH] = [256, 200];

const styleSchema = v.union([
  v.picklist(STYLE_NAMES),
  v.strictObject({
    style: v.picklist(STYLE_NAMES),
    /** How the ranks hold the module's input. The engine knows this; a wrong value is refused. */
    inputLayouts: layout,
    /** For PrepareModuleInput: the layout to which the input is redistributed. */
    desiredInputLayouts: layout,
    /**
     * Layout of the module's output. Absent, as in torch: Shard(-1) for ColwiseParallel, Replicate for RowwiseParallel.
     * For PrepareModuleOutput: how the ranks hold the output, which the engine knows; a wrong value is refused.
     */
    outputLayouts: layout,
    /** For PrepareModuleOutput: the layout to which the output is redistributed. */
    desiredOutputLayouts: layout,
    /** Whether the module returns a plain tensor instead of a DTensor in torch. Absent: as the next module needs. */
    useLocalOutput: v.optional(v.boolean()),
  }),
]);

export const tensorSchema = settings({
  /** Absent: made for the model, in pairs of column and row cuts, so that each pair needs one all-reduce. */
  plan: v.optional(
    v.pipe(
      noList(v.record(v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_PATH)), styleSchema)),
      v.maxEntries(MOST_ENTRIES),
    ),
  ),
  /**
   * torch's loss_parallel(): the cross-entropy takes logits that are cut by class, so no rank gathers them. Absent:
   * true if the plan was made for the model and leaves the logits cut.
   */
  lossParallel: v.optional(v.boolean()),
});

export type TensorConfig = v.InferOutput<typeof tensorSchema>;
export type StyleConfig = NonNullable<TensorConfig['plan']>[string];
