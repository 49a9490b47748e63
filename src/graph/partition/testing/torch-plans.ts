/** A parallelize_plan as the recorded fixtures print it, read as styles. For tests. */
import type { StyleName } from '../../../protocol/config/tensor';
import type { ParallelStyle, PlanInput } from '../styles';

/** `ours`: the path that a module of the recorded net has in ours. */
export const stylesOf = (
  plan: Readonly<Record<string, string>>,
  ours = (module: string): string => module,
): PlanInput['styles'] => Object.entries(plan).map(([module, text]) => [ours(module), styleOf(text)] as const);

/** 'RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1))'. */
function styleOf(text: string): ParallelStyle {
  const [, style = ''] = /^(\w+)\(/.exec(text) ?? [];
  const output = /output_layouts=(Replicate|Shard)/.exec(text)?.[1];
  return {
    style: style as StyleName,
    ...(output === undefined ? {} : { output: output === 'Shard' ? 'Shard(1)' : 'Replicate' }),
  };
}
