/** Parameter server: what the page says about it. */
import { batchNorms } from '../../protocol/config/layer-kinds';
import { PARAMETER_SERVER } from '../../protocol/words/parameter-server';
import { AUTOCAST, countWord, type Face, NORM_OF_PARTS, plainRole } from '../face';

export const parameterServer: Face = {
  name: 'parameterServer',
  precisions: AUTOCAST,
  title: 'Parameter server',
  listed: 'Parameter server',
  short: 'Server',
  about:
    'cuda:0 holds the parameters; workers pull them, compute gradients and push them, all together or one after the other',
  seen: (devices) =>
    devices === 1
      ? 'One server that keeps the weights and computes by itself. Watch it learn.'
      : `One server keeps the weights; ${countWord(devices - 1).toLowerCase()} ${devices === 2 ? 'worker pulls' : 'workers pull'} them and push gradients. Watch everything pass through it.`,
  link: 'ps',
  alsoCalled: ['server'],
  sections: ['parameterServer'],
  controls: [
    { kind: 'flag', setting: PARAMETER_SERVER.synchronous },
    { kind: 'number', setting: PARAMETER_SERVER.staleness },
  ],
  failsByDevice: true,
  launchable: true,
  splitsBatch: true,
  role: (device, config) =>
    config.worldSize === 1
      ? plainRole(device, config)
      : {
          ...plainRole(device, config),
          title: device === 0 ? 'server' : `worker ${device}`,
          beside: `cuda:${device}`,
        },
  differenceCause: (config) => {
    if (!config.parameterServer.synchronous) return 'workers compute on parameters that others have changed since';
    return batchNorms(config.model.layers) > 0 ? NORM_OF_PARTS : undefined;
  },
};
