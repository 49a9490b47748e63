/** DataParallel: what the page says about it. */
import { batchNorms } from '../../protocol/config/layer-kinds';
import { type Face, NORM_OF_PARTS, plainRole } from '../face';

export const dataParallel: Face = {
  name: 'dataParallel',
  // Its replicas' threads autocast to float16, whatever dtype the script gives (torch/nn/parallel/parallel_apply.py).
  precisions: ['float32', 'autocast-fp16'],
  gradScaler: true,
  title: 'DataParallel',
  listed: 'DataParallel',
  short: 'DataParallel',
  tight: 'DP',
  about:
    'One process, one thread per device: each forward copies the model to all devices, device 0 gathers the outputs, and Python’s GIL slows the threads. PyTorch recommends DDP instead, even on one machine',
  seen: (devices) =>
    devices === 1
      ? 'One net on cuda:0; with a single device nothing is copied. Watch it learn.'
      : `One net on cuda:0, copied to ${devices === 2 ? 'cuda:1' : `${devices - 1} other devices`} for every batch. Watch the gradients return to cuda:0.`,
  link: 'dp',
  alsoCalled: ['dp'],
  splitsBatch: true,
  // Each forward pass makes new replicas.
  role: (device, devices) => ({ ...plainRole(device, devices), keepsState: device === 0 }),
  differenceCause: ({ model }) => (batchNorms(model.layers) > 0 ? NORM_OF_PARTS : undefined),
};
