/** Single: what the page says about it. */
import { AUTOCAST, type Face } from '../face';

export const single: Face = {
  name: 'single',
  title: 'Single',
  listed: 'Single',
  short: 'Single',
  about: 'One device',
  seen: () => 'One net on one device, which sees all the samples. Watch it learn.',
  precisions: [...AUTOCAST, 'bf16-master', 'fp16-master', 'bf16'],
  gradScaler: true,
  link: 'single',
  alsoCalled: ['onedevice', 'singledevice'],
  oneDevice: true,
};
