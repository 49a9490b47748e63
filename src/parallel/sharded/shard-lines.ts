/** The lines of a script that shard a model: fully_shard of each unit, then of the rest. Called by the listings. */
import { codeLine as line, codeLines as lines } from '../../interop/pytorch/code-line';
import { python } from '../../interop/pytorch/python';
import type { Config } from '../../protocol/config';
import { modelHalf, policyHalf, reduceHalf } from '../../protocol/half-of';
import type { CodeLine } from '../../protocol/trace';
import { unitsOf } from './units';

/**
 * Arguments after the mesh, for fully_shard of a unit and of the root. `rootPolicy`: a Python expression over the names
 * that policyLines defines.
 */
export function shardArguments(config: Config, rootPolicy = 'root_policy'): readonly [ofUnit: string, ofRoot: string] {
  const { stage, reshardAfterForward, reshardTo } = config.sharded;
  const offload = config.sharded.cpuOffload ? ', offload_policy=offload' : '';
  const [ofUnit, ofRoot] = policyOf(config)
    ? [`, mp_policy=policy${offload}`, `, mp_policy=${rootPolicy}${offload}`]
    : [offload, offload];
  if (stage === 2) return [`, reshard_after_forward=False${ofUnit}`, `, reshard_after_forward=False${ofRoot}`];
  return [
    `${reshardTo === undefined ? '' : `, reshard_after_forward=${reshardTo}`}${ofUnit}`,
    `${reshardAfterForward === true ? ', reshard_after_forward=True' : ''}${ofRoot}`,
  ];
}

/** The arguments of MixedPrecisionPolicy; undefined: everything is in the type of the model. */
function policyOf(config: Config): string | undefined {
  const { paramDtype, reduceDtype, castForwardInputs } = config.sharded;
  const ofModel = modelHalf(config.precision);
  if (policyHalf(config) === undefined && reduceHalf(config) === ofModel) return undefined;
  const isReducedAs = reduceDtype === 'param' || (reduceDtype === paramDtype && ofModel === undefined);
  return [
    ...(paramDtype === 'float32' ? [] : [`param_dtype=torch.${paramDtype}`]),
    ...(isReducedAs ? [] : [`reduce_dtype=torch.${reduceDtype}`]),
    ...(castForwardInputs ? [] : ['cast_forward_inputs=False']),
  ].join(', ');
}

/** The import line from torch.distributed.fsdp. */
export const fsdpImport = (config: Config): string =>
  `from torch.distributed.fsdp import ${config.sharded.cpuOffload ? 'CPUOffloadPolicy, ' : ''}${policyOf(config) ? 'MixedPrecisionPolicy, ' : ''}fully_shard`;

/** Lines that define `policy` and the root's policy; the root's output is float32, because the loss reads it. */
export function policyLines(config: Config): readonly CodeLine[] {
  const policy = policyOf(config);
  if (policy === undefined) return [];
  return lines(
    `policy = MixedPrecisionPolicy(${policy})`,
    `root_policy = MixedPrecisionPolicy(${policy}, output_dtype=torch.float32)`,
  );
}

/** `mesh`: a Python expression. */
export function shardLines(config: Config, mesh: string): readonly CodeLine[] {
  const { prefetch } = config.sharded;
  const [ofUnit, ofRoot] = shardArguments(config);
  const [, ...units] = unitsOf(config);
  const paths = units.map(({ path }) => python(path)).join(', ');
  const ahead = prefetch !== undefined && prefetch > 0;
  return [
    ...policyLines(config),
    // Pinned memory only helps copies to and from a GPU.
    ...(config.sharded.cpuOffload ? [line("offload = CPUOffloadPolicy(pin_memory=device.type == 'cuda')")] : []),
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

/** Lines before a forward pass that say which backward passes reduce, if not all do. */
export const gradientSyncLines = ({ sharded, accumulate }: Config): readonly CodeLine[] =>
  sharded.syncEveryPass || accumulate === 1
    ? []
    : [line(`model.set_requires_gradient_sync(batches % ${accumulate} == 0)`)];
