/** The PyTorch script of a pipeline: torch.distributed.pipelining. Called through mode.ts. */
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

export function pipelineListing(_config: Config): CodeLine[] {
  return [];
}
