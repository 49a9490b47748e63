/** The timeline's clock, in words; the page never mixes the two clocks, and always labels them. Pure. */
import type { SessionInfo } from '../../protocol/session-info';
import type { Clock } from '../../protocol/trace';

export function clockLabel(clock: Clock, info: SessionInfo): string {
  if (clock === 'modelled') return `modelled time, ${info.hardwareLabel}`;
  const shared = info.worldSize > 1 && info.config.placement === 'shared';
  return `measured on ${info.device.adapter}${shared ? '; virtual devices share it' : ''}`;
}
