/** The lines of a script that shard a model: fully_shard of each unit, then of the rest. Called by the listings. */
import { codeLine as line, codeLines as lines } from '../../interop/pytorch/code-line';
import { python } from '../../interop/pytorch/python';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';
import { unitsOf } from './units';

/** `mesh`: a Python expression. */
export function shardLines(config: Config, mesh: string): readonly CodeLine[] {
  const { stage, reshardAfterForward, reshardTo, prefetch } = config.sharded;
  const own = stage === 3 && reshardTo !== undefined ? `, reshard_after_forward=${reshardTo}` : undefined;
  const [, ...units] = unitsOf(config);
  const kept = stage === 2 ? ', reshard_after_forward=False' : '';
  const root = stage === 3 && reshardAfterForward === true ? ', reshard_after_forward=True' : kept;
  const paths = units.map(({ path }) => python(path)).join(', ');
  const ahead = prefetch !== undefined && prefetch > 0;
  return [
    ...(units.length === 0
      ? []
      : lines(
          `units = [model.get_submodule(path) for path in [${paths}]]`,
          'for unit in units:',
          `    fully_shard(unit, mesh=${mesh}${own ?? kept})`,
        )),
    line(`fully_shard(model, mesh=${mesh}${root})`, 'fully_shard'),
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
