/** The lines of a script that shard a model: fully_shard of each unit, then of the rest. Called by the listings. */
import { codeLine as line, codeLines as lines } from '../../interop/pytorch/code-line';
import { python } from '../../interop/pytorch/python';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';
import { unitsOf } from './units';

/** Of fully_shard of a unit, and of the root, as they follow its mesh. */
export function shardArguments({ sharded }: Config): readonly [ofUnit: string, ofRoot: string] {
  const { stage, reshardAfterForward, reshardTo } = sharded;
  if (stage === 2) return [', reshard_after_forward=False', ', reshard_after_forward=False'];
  return [
    reshardTo === undefined ? '' : `, reshard_after_forward=${reshardTo}`,
    reshardAfterForward === true ? ', reshard_after_forward=True' : '',
  ];
}

/** `mesh`: a Python expression. */
export function shardLines(config: Config, mesh: string): readonly CodeLine[] {
  const { prefetch } = config.sharded;
  const [ofUnit, ofRoot] = shardArguments(config);
  const [, ...units] = unitsOf(config);
  const paths = units.map(({ path }) => python(path)).join(', ');
  const ahead = prefetch !== undefined && prefetch > 0;
  return [
    ...(units.length === 0
      ? []
      : lines(
          `units = [model.get_submodule(path) for path in [${paths}]]`,
          'for unit in units:',
          `    fully_shard(unit, mesh=${mesh}${ofUnit})`,
        )),
    line(`fully_shard(model, mesh=${mesh}${ofRoot})`, 'fully_shard'),
    ...(ahead && units.length > 0
      ? lines(
          'for i, unit in enumerate(units):',
          `    unit.set_modules_to_forward_prefetch(units[i + 1:i + 1 + ${prefetch}])`,
          `    unit.set_modules_to_backward_prefetch(units[max(0, i - ${prefetch}):i][::-1])`,
        )
      : []),
  ];
}

/** Before a forward pass: which backward passes reduce, where not all do. */
export const gradientSyncLines = ({ sharded, accumulate }: Config): readonly CodeLine[] =>
  sharded.syncEveryPass || accumulate === 1
    ? []
    : [line(`model.set_requires_gradient_sync(batches % ${accumulate} == 0)`)];
