/**
 * What can fail in a run, for the failures panel: the names of its parts, whether one part can fail alone, and a
 * sentence if that differs from what the script suggests. Pure.
 */
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import type { SessionInfo } from '../../protocol/session-info';

export interface WhatFails {
  /** The name of every device: 'rank 2', 'server', 'worker 2'; 'cuda:2' if one process drives all devices. */
  readonly names: readonly string[];
  /** Whether every part is a process, which can be killed or hang alone. */
  readonly alone: boolean;
  readonly about: string;
}

export function whatFails(
  mode: Config['mode'],
  { worldSize, processes, roles }: Pick<SessionInfo, 'worldSize' | 'processes' | 'roles'>,
): WhatFails {
  const face = FACES[mode];
  const devices = [...Array(worldSize).keys()];
  if (face.failsByDevice && processes > 1)
    return {
      names: devices.map((device) => roles[device]?.title ?? `rank ${device}`),
      alone: true,
      about:
        'Over torch.distributed.rpc, the server and every worker are processes of their own. If one of them dies or hangs, all start again from the last checkpoint. The script shown here does the same work in one process.',
    };
  if (processes > 1 || face.processPerDevice)
    return { names: devices.map((device) => `rank ${device}`), alone: true, about: '' };
  return {
    names: devices.map((device) => `cuda:${device}`),
    alone: false,
    about:
      worldSize > 1
        ? 'One process drives all devices: an error on one device ends the process, which starts again from the last checkpoint.'
        : '',
  };
}
