/** The script of a parameter server, which PyTorch has no class for. Called through mode.ts. */
import { lossCall } from '../../interop/pytorch-loop';
import { modelCode } from '../../interop/pytorch-model';
import { workerImports, workerLines, workerLoop } from '../../interop/pytorch-parameter-server';
import { FIRST, loader, script } from '../../interop/pytorch-script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';
import { singleListing } from '../single/listing';

export function serverListing(config: Config): CodeLine[] {
  if (config.worldSize === 1) return singleListing(config);
  return script(config, {
    imports: workerImports(config),
    model: modelCode(config.model.layers, FIRST, config.checkpointSegments),
    afterModel: workerLines(config),
    notRead: config.parameterServer.synchronous ? [] : ["the workers' older parameters"],
    loaders: [loader(config)],
    loop: {
      inputs: FIRST,
      targets: FIRST,
      body: (schedule) => workerLoop(config, lossCall(config), schedule),
    },
  });
}
