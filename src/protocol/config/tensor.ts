/**
 * A parallelize_plan as torch.distributed.tensor.parallel takes it: a style for each module, by its path in the
 * state_dict ('0', 'blocks.1.qkv') or by a pattern in which * stands for one part of a path. Styles and layouts have
 * torch's names.
 */
import * as v from 'valibot';

export const STYLE_NAMES = ['ColwiseParallel', 'RowwiseParallel', 'SequenceParallel'] as const;
export type StyleName = (typeof STYLE_NAMES)[number];

/** What a module hands on. Shard(1) is the dimension of a sequence. */
export const OUTPUT_LAYOUTS = ['Replicate', 'Shard(1)'] as const;
export type OutputLayout = (typeof OUTPUT_LAYOUTS)[number];

/** Entries of a plan, and characters of a path. */
const [MOST_ENTRIES, LONGEST_PATH] = [256, 200];

const styleSchema = v.union([
  v.picklist(STYLE_NAMES),
  v.strictObject({
    style: v.picklist(STYLE_NAMES),
    /** Absent, as in torch: Shard(-1) of ColwiseParallel, Replicate of RowwiseParallel. */
    outputLayouts: v.optional(v.picklist(OUTPUT_LAYOUTS)),
  }),
]);

export const tensorSchema = v.strictObject({
  /** Absent: made for the model, pairs of columns and rows, so that every pair needs one all-reduce. */
  plan: v.optional(
    v.pipe(
      v.record(v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_PATH)), styleSchema),
      v.maxEntries(MOST_ENTRIES),
    ),
  ),
  /**
   * torch's loss_parallel(): the cross-entropy takes logits that are cut by class, so nobody gathers them. Absent: true
   * where the plan is made for the model and leaves the logits cut.
   */
  lossParallel: v.optional(v.boolean()),
});

export type TensorConfig = v.InferOutput<typeof tensorSchema>;
export type StyleConfig = NonNullable<TensorConfig['plan']>[string];
