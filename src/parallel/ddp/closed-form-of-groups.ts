/**
 * The bytes of several DDPs side by side: each replica group averages the gradients of its own part of the model, a
 * stage of a pipeline or the parts of a rank of a tensor group. Called by the modes tensor and pipeline.
 */
import { at } from '../../base/invariant';
import type { ClosedForm } from '../../protocol/closed-form';
import type { DeviceIndex } from '../../protocol/trace';
import { tensorBytes } from '../../tensor/shape';
import { closedForm, type FormPass, type RunSizes, sum, uncounted } from '../closed-form';
import { byDevice } from '../over-axes';
import { ddpForm } from './closed-form';

export interface ReplicaGroup {
  readonly devices: readonly DeviceIndex[];
  /** The parameters whose gradients the group averages. */
  readonly parameters: RunSizes['parameters'];
}

/** `textOf`: makes the text, from the text of the first group. */
export function ddpFormOfGroups(
  run: RunSizes,
  pass: FormPass,
  groups: readonly ReplicaGroup[],
  textOf: (first: string) => string,
): ClosedForm {
  const sent = byDevice(run.devices);
  const forms = groups.map(({ devices, parameters }) => {
    const gradientBytes = sum(parameters.map(tensorBytes));
    const transfers = { ...run.transfers, gradientBytes, parameterBytes: gradientBytes };
    const form = ddpForm({ ...run, devices: devices.length, parameters, transfers, buckets: undefined }, pass);
    for (const [place, device] of devices.entries()) sent.add(device, at(form.perDevice, place));
    return form;
  });
  const left = uncounted(run.config);
  // The map of used parameters is not counted.
  const countsAll = left === '' && !run.config.ddp.findUnusedParameters;
  return closedForm(sent.bytes, `${textOf(at(forms, 0).text)}${left}`, {
    exact: countsAll && forms.every(({ exact }) => exact),
  });
}
