/** Echo: what the page would say about it. */
import type { Mode } from '../../../protocol/config';
import { type Face, plainRole } from '../../face';

export const ECHO = 'echo' as Mode;

export const echo: Face = {
  name: ECHO,
  title: 'Echo',
  listed: 'Echo',
  short: 'Echo',
  about: 'cuda:1 sends every gradient back to cuda:0',
  seen: (devices) => `${devices} devices that echo.`,
  link: 'echo',
  role: (device, devices) => ({
    ...plainRole(device, devices),
    title: device === 0 ? 'caller' : 'echo',
    beside: `cuda:${device}`,
    hasRows: device === 0,
  }),
};
