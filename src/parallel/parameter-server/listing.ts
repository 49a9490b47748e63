/** The script of a parameter server, which PyTorch has no class for. Called through mode.ts. */
import { enoughGpus } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { lossCall } from '../../interop/pytorch/loop';
import { modelCode } from '../../interop/pytorch/model';
import { workerImports, workerLines, workerLoop } from '../../interop/pytorch/parameter-server';
import { LISTING, loader } from '../../interop/pytorch/script';
import type { Config } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';
import { singleListing } from '../single/listing';

export function serverListing(config: Config, dialect: Dialect = LISTING): CodeLine[] {
  if (config.worldSize === 1) return singleListing(config, dialect);
  return dialect.assemble(config, {
    about: `with a parameter server: one process, GPU 0 as the server and ${config.worldSize - 1} workers`,
    devices: config.worldSize,
    placing: [
      enoughGpus(config.worldSize),
      `devices = [f'cuda:{k}' if gpus else 'cpu' for k in range(${config.worldSize})]`,
    ],
    updates: config.parameterServer.synchronous ? 1 : config.worldSize - 1,
    imports: workerImports(config),
    model: modelCode(config.model.layers, dialect.server, config.checkpointSegments),
    afterModel: workerLines(config, dialect),
    notRead: config.parameterServer.synchronous ? [] : ["the workers' older parameters"],
    loaders: loader(config, dialect, 'gpus'),
    loop: {
      inputs: dialect.server,
      targets: dialect.server,
      log: [],
      body: (schedule) => workerLoop(config, lossCall(config), schedule, dialect),
    },
  });
}
