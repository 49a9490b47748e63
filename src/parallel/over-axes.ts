/**
 * The closed form of a mesh: the sum of what the ranks send along its axes. The folder of each axis computes its own
 * summand: pipeline/ the stages, tensor/ the tensor groups, ddp/ and sharded/ the data axes. Called by closed-form.ts
 * of these folders.
 */
import { at } from '../base/invariant';
import type { ClosedForm } from '../protocol/closed-form';
import type { DeviceIndex } from '../protocol/trace';
import { closedForm, sum } from './closed-form';

/** The text of a mesh names the axes in this order. */
export function overAxes(forms: readonly ClosedForm[]): ClosedForm {
  const perDevice = at(forms, 0).perDevice.map((_, device) => sum(forms.map((form) => at(form.perDevice, device))));
  const layers = forms.flatMap((form) => form.layers ?? []);
  return closedForm(perDevice, forms.map(({ text }) => text).join('; '), {
    exact: forms.every(({ exact }) => exact),
    ...(layers.length > 0 ? { layers } : {}),
  });
}

/** Bytes by device, for a summand that adds up what its groups send. */
export interface ByDevice {
  readonly bytes: readonly number[];
  add(device: DeviceIndex, more: number): void;
}

export function byDevice(devices: number): ByDevice {
  const bytes: number[] = Array.from({ length: devices }, () => 0);
  return {
    bytes,
    add(device, more) {
      bytes[device] = at(bytes, device) + more;
    },
  };
}
