/**
 * Names that every object inherits, wherever a user can write a name: they are refused in words, as any other unknown
 * name is.
 */
import { describe, expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { nearNames } from '../base/near-name';
import { readNpy, writeNpy } from '../data/readers/npy';
import { writeSafetensors } from '../interop/safetensors';
import { type OptionTable, readOptions } from '../launch/options';
import { initialWeights } from '../training/weights/initial-weights';
import { parseConfig } from './parse-config';

const INHERITED = [
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__proto__',
  'isPrototypeOf',
  'toLocaleString',
];

function refusal(act: () => unknown): LockstepError {
  try {
    act();
  } catch (error) {
    if (error instanceof LockstepError) return error;
    throw error;
  }
  throw new Error('accepted');
}

describe.each(INHERITED)('%s', (name) => {
  // JSON makes an entry of its own of __proto__, as a file does; a literal would not.
  const object = (text: string): unknown => JSON.parse(text.replaceAll('NAME', name));

  test.each([
    ['a setting', '{"NAME":1}', `There is no setting ${name}.`],
    ['a setting within', '{"ddp":{"NAME":{"steps":1}}}', `There is no setting ddp.${name}.`],
    [
      'a field of a layer',
      '{"model":{"layers":[{"type":"ReLU","NAME":1}]}}',
      `There is no setting model.layers.0.${name}`,
    ],
    ['a type', '{"data":{"type":"NAME"}}', `not "${name}"`],
    ['an optimizer', '{"optimizer":{"type":"NAME"}}', `not "${name}"`],
    ['a mode', '{"mode":"NAME"}', `not "${name}"`],
  ])('as %s', (_, config, message) => {
    expect(refusal(() => parseConfig(object(config)))).toMatchObject({
      code: 'config',
      message: expect.stringContaining(message),
    });
  });

  test('as a name that is misspelt', () => expect(nearNames(name, ['steps', 'mode'])).toEqual([]));

  test('as the dtype of a .npy file', () => {
    const header = `{'descr': '${name}', 'fortran_order': False, 'shape': (1,), }`;
    const bytes = writeNpy(new Float32Array([1]), [1]);
    bytes.set(new TextEncoder().encode(header.padEnd(117)), 10);
    expect(refusal(() => readNpy('x.npy', bytes)).message).toContain(`found dtype "${name}"`);
  });

  test('as a tensor, and as a file that was not given', () => {
    const files = { w: writeSafetensors([{ name, shape: [1], data: new Float32Array([1]) }]) };
    const state = { parameters: [{ name: '0.weight', shape: [1], data: new Float32Array(1) }], buffers: [] };
    expect(refusal(() => initialWeights('w', files, state)).message).toContain(
      `Unexpected key(s) in state_dict: "${name}"`,
    );
    expect(refusal(() => initialWeights(name, files, state)).message).toContain(
      `The weights file "${name}" was not given`,
    );
  });

  test("as a launcher's option", () => {
    const table: OptionTable = {
      launcher: 'torchrun',
      long: { nnodes: 'value' },
      short: { N: 'nnodes' },
      takesScriptOptions: false,
    };
    expect(refusal(() => readOptions([`--${name}`, '1'], table)).message).toContain('unrecognized argument');
  });
});
