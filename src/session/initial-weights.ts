/** Weights from a .safetensors file in place of the drawn ones; every parameter of the model must be there with its shape. */
import { LockstepError } from '../base/errors';
import { readSafetensors } from '../interop/safetensors';
import type { InitialParameter } from '../nn/model';
import type { Files } from '../protocol/session';
import { formatShape, sameShape } from '../tensor/shape';

export function initialWeights(
  file: string,
  files: Files,
  drawn: readonly InitialParameter[],
): readonly InitialParameter[] {
  const bytes = files[file];
  if (!bytes)
    throw new LockstepError(
      'data',
      `The weights file "${file}" was not given.`,
      'Drop it on the page, or name a path relative to the configuration.',
    );
  const tensors = new Map(readSafetensors(file, bytes, { stripModule: true }).map((t) => [t.name, t]));
  const missing = drawn.filter((p) => !tensors.has(p.name)).map((p) => `"${p.name}"`);
  const unexpected = [...tensors.keys()]
    .filter((name) => !drawn.some((p) => p.name === name))
    .map((name) => `"${name}"`);
  if (missing.length > 0 || unexpected.length > 0) {
    const parts = [
      missing.length > 0 && `Missing key(s) in state_dict: ${missing.join(', ')}.`,
      unexpected.length > 0 && `Unexpected key(s) in state_dict: ${unexpected.join(', ')}.`,
    ];
    throw new LockstepError(
      'data',
      `Error(s) in loading state_dict from ${file}: ${parts.filter(Boolean).join(' ')}`,
      "Names are nn.Sequential's: 0.weight, 0.bias, 2.weight ...",
    );
  }
  return drawn.map((p) => {
    const tensor = tensors.get(p.name);
    if (!tensor || !sameShape(tensor.shape, p.shape)) {
      throw new LockstepError(
        'shape',
        `size mismatch for ${p.name}: copying a param with shape torch.Size(${formatShape(tensor?.shape ?? [])}) from ${file}, the shape in current model is torch.Size(${formatShape(p.shape)}).`,
        'The file belongs to a model with other layers.',
      );
    }
    return { ...p, data: Float32Array.from(tensor.data) };
  });
}
