/** Refuses settings that a parameter server cannot combine. Called through mode.ts. */
import { refusedSettings } from '../../base/refused-settings';
import type { Config } from '../../protocol/config';

export function checkServer({ worldSize, accumulate, parameterServer }: Config): void {
  if (worldSize === 1 || parameterServer.synchronous || accumulate === 1) return;
  throw refusedSettings({
    settings: { accumulate, 'parameterServer.synchronous': parameterServer.synchronous },
    why: "an asynchronous server applies each worker's gradient separately and accumulates none",
    hint: 'Set accumulate to 1, or parameterServer.synchronous to true.',
  });
}
