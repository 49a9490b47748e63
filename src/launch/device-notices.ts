/** Notices about the devices of ranks. Called by config-notices.ts. */
import type { ParallelMode } from '../parallel/mode';
import type { Config } from '../protocol/config';
import type { Notice } from '../protocol/notice';
import { rankDevices } from './rank-devices';

export function deviceNotices(config: Config, mode: Pick<ParallelMode, 'mesh'>): readonly Notice[] {
  const { visibleDevices, adapters, device } = config;
  const notices: Notice[] = [];
  const devices = rankDevices(config, mode);
  if (visibleDevices && !adapters) {
    const [first] = devices;
    notices.push({
      level: 'info',
      id: 'visible-devices',
      text: `CUDA_VISIBLE_DEVICES=${visibleDevices.join(',')}: cuda:0 is device ${first?.ordinal ?? 0} of its machine${devices.length > 1 ? `, cuda:1 device ${devices[1]?.ordinal ?? 0}` : ''}. All devices here are alike, so the results do not change.`,
      hint: 'List different devices in adapters to choose among them.',
    });
  }
  if (!adapters) return notices;
  if (device !== 'auto')
    notices.push({
      level: 'info',
      id: 'adapters-device',
      text: `Ranks compute on the devices that adapters lists; only the single-device reference run uses device "${device}".`,
      hint: '',
    });
  if (new Set(devices.map(({ adapter }) => adapter)).size > 1)
    notices.push({
      level: 'info',
      id: 'adapters-differ',
      text: 'Ranks compute on different devices. All ranks get the same averaged gradients, bit for bit, but each device rounds its optimiser step in its own way. So replicas may drift apart in the last bits, as on real machines with different GPUs.',
      hint: 'The step takes as long as the slowest rank.',
    });
  return notices;
}
