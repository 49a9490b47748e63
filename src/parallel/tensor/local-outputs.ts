/**
 * Refuses a use_local_output with which torch would fail, because a DTensor meets plain tensors, or because a layer
 * cannot tell from a plain part how large the whole tensor is. The run here does not depend on the setting; the script
 * does. Called by check-plan.ts.
 */
import { LockstepError } from '../../base/errors';
import { isUneven, type ListedModule, readerOf } from '../../interop/pytorch/tensor';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import { parametersOf } from '../../shapes/parameters';
import { listedModules } from './listed-modules';
import { isLossParallel } from './plan';

export function checkLocalOutputs(config: Config): void {
  const modules = listedModules(config);
  for (const [index, module] of modules.entries()) {
    const why = failureOf(config, module, readerOf(modules, index));
    if (why === undefined) continue;
    const value = module.localOutput === true;
    throw new LockstepError(
      'config',
      `useLocalOutput of ${module.path} is ${value}: ${why}.`,
      'Leave useLocalOutput out.',
    );
  }
}

function failureOf(config: Config, module: ListedModule, reader: ListedModule | undefined): string | undefined {
  const { localOutput, style, layer, path, block } = module;
  if (localOutput === undefined || !module.isCalled) return undefined;
  const lossParallel = isLossParallel(config);
  const isLast = reader === undefined;
  if (localOutput) {
    if (isLast && lossParallel) return 'loss_parallel() takes a DTensor';
    if (style === 'ColwiseParallel' && reader?.style === 'RowwiseParallel' && isUneven(layer, meshSizes(config).tp))
      return `${reader.path} counts the columns of a rank times the number of ranks as all columns, and torch says “a and b must have same reduction dim”`;
    return undefined;
  }
  if (block !== undefined && /(^|[.])qkv$/.test(path))
    return 'the attention of the block splits its heads by the size of a plain tensor';
  const isPlain = style === 'PrepareModuleInput' && parametersOf(layer).length > 0;
  const meetsPlain = isLast ? !lossParallel : reader.style === undefined && parametersOf(reader.layer).length > 0;
  if (!isPlain && !meetsPlain) return undefined;
  const where = isPlain ? `in ${path}` : isLast ? 'in the loss' : `in ${reader.path}`;
  return `the DTensor meets plain tensors ${where}, and torch says “got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed operators!”`;
}
