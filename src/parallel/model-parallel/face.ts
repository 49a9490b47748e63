/** Model parallel: what the page says about it. */
import { LAYERS_WITH_WEIGHTS } from '../../protocol/config/layer-kinds';
import { AUTOCAST, type Face, plainRole } from '../face';

export const modelParallel: Face = {
  name: 'modelParallel',
  title: 'Model parallel',
  listed: 'Model parallel',
  short: 'Model parallel',
  tight: 'Model',
  about: 'Layers are on different devices; activations move between them; one device works at a time',
  seen: (devices) =>
    devices === 1
      ? 'One net, all of its layers on one device. Watch it learn.'
      : `One net, its layers spread over ${devices} devices. Watch the activations cross, and the gradients come back.`,
  precisions: AUTOCAST,
  gradScaler: true,
  link: 'mp',
  alsoCalled: ['model'],
  sections: ['modelParallel'],
  controls: [{ kind: 'panel', panel: 'split' }],
  // The whole batch goes to the first device; the later ones get activations.
  role: (device, config) => ({ ...plainRole(device, config), hasRows: device === 0 }),
  layersWanted: ({ worldSize }) => worldSize,
  mostDevices: ({ model }) => model.layers.filter(({ type }) => LAYERS_WITH_WEIGHTS.has(type)).length,
};
