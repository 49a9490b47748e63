/** The lines of a pipeline's script with fully_shard around its stages. Called by the listing of mode pipeline. */
import type { PipelineShape } from './pipeline';

export interface StageShards {
  readonly sharded: NonNullable<PipelineShape['sharded']>;
  /** Paths of modules. */
  readonly units: readonly string[];
  /** Arguments of fully_shard for a unit, and for a stage, whose number is `s`. */
  readonly arguments: readonly [ofUnit: string, ofStage: string];
  /** Lines that make the policies of mixed precision, before the calls. */
  readonly policies: readonly string[];
}

/** fully_shard around the modules of the rank, the units first. */
export function shardedStageLines(shards: StageShards): readonly string[] {
  const { sharded, units, policies } = shards;
  const [ofUnit, ofStage] = shards.arguments;
  const mesh = sharded.dpReplicate > 1 ? "mesh['dp_replicate', 'dp_shard']" : "mesh['dp']";
  return [
    ...policies,
    ...(units.length === 0
      ? []
      : [
          'own = {child for module in modules for child in module.modules()}',
          `for unit in [model.get_submodule(path) for path in [${units.map((path) => `'${path}'`).join(', ')}]]:`,
          '    if unit in own:',
          `        fully_shard(unit, mesh=${mesh}${ofUnit})`,
        ]),
    policies.length > 0 ? 'for module, s in zip(modules, mine):' : 'for module in modules:',
    `    fully_shard(module, mesh=${mesh}${ofStage})`,
  ];
}
