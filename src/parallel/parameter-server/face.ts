/** Parameter server: what the page says about it. */
import { batchNorms } from '../../protocol/config/layer-kinds';
import { type Face, NORM_OF_PARTS } from '../face';

export const parameterServer: Face = {
  name: 'parameterServer',
  title: 'Parameter server',
  short: 'Server',
  about:
    'cuda:0 holds the parameters; workers pull them, compute gradients and push them, all together or one after the other',
  link: 'ps',
  alsoCalled: ['server'],
  section: 'parameterServer',
  controls: [
    {
      kind: 'flag',
      label: 'Synchronous',
      path: 'parameterServer.synchronous',
      title:
        "A step waits for the gradients of all workers; off: the workers' gradients are applied one after the other",
    },
    {
      kind: 'number',
      label: 'Staleness',
      path: 'parameterServer.staleness',
      title: "Asynchronous: updates that a worker's parameters are behind the server's when its gradient is applied",
    },
  ],
  launchable: true,
  splitsBatch: true,
  differenceCause: (config) => {
    if (!config.parameterServer.synchronous) return 'workers compute on parameters that others have changed since';
    return batchNorms(config.model.layers) > 0 ? NORM_OF_PARTS : undefined;
  },
};
