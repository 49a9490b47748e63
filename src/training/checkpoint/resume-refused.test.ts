/** Checkpoints that cannot be resumed: of another model or optimiser, and every way in which files can be wrong. */
import { describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { openTestSession } from '../../session/testing/open-session';
import { createBlueprint } from '../blueprint';
import { NET, savedAfter } from '../testing/checkpoint-runs';

const DDP: ConfigInput = { ...NET, mode: 'ddp' };

describe('refused, in PyTorch’s words where it has some', () => {
  const refusal = async (
    change: Partial<ConfigInput>,
    edit: (files: Files) => Files = (files) => files,
  ): Promise<string> => {
    const files = edit(await savedAfter(DDP, 2));
    try {
      createBlueprint(parseConfig({ ...DDP, resume: 'run', ...change }), files);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return 'accepted';
  };
  const layers = NET.model.layers;
  const [MODEL, STATE] = ['run.safetensors', 'run.state.safetensors'];
  const bytes = (files: Files, name: string) => must(files[name], name);

  test('another model', async () => {
    expect(await refusal({ model: { layers: [...layers, { type: 'Linear', in: 1, out: 1 }] } })).toBe(
      'Error(s) in loading state_dict from run.safetensors: Missing key(s) in state_dict: "5.weight", "5.bias".',
    );
    expect(await refusal({ model: { layers: layers.filter((l) => l.type !== 'BatchNorm1d') } })).toContain(
      'Unexpected key(s) in state_dict',
    );
    const wider: ConfigInput['model'] = {
      layers: [
        { type: 'Linear', in: 2, out: 5 },
        { type: 'BatchNorm1d', features: 5 },
        { type: 'Tanh' },
        { type: 'Dropout' },
        { type: 'Linear', in: 5, out: 1 },
      ],
    };
    expect(await refusal({ model: wider })).toContain(
      'size mismatch for 0.weight: copying a param with shape torch.Size([4, 2])',
    );
  });

  test('another optimiser', async () => {
    expect(await refusal({ optimizer: { type: 'Adagrad' } })).toContain("KeyError: 'sum'");
    expect(await refusal({ paramGroups: [{ match: '*.bias', lr: 0.1 }] })).toContain(
      'loaded state dict has a different number of parameter groups',
    );
    const files = await savedAfter({ ...DDP, paramGroups: [{ match: '0.*', lr: 0.1 }] }, 2);
    expect(() =>
      createBlueprint(parseConfig({ ...DDP, paramGroups: [{ match: '*.bias', lr: 0.1 }], resume: 'run' }), files),
    ).toThrow("loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
  });

  test.each([MODEL, STATE])('%s is missing', async (name) => {
    const { [name]: _, ...rest } = await savedAfter(DDP, 2);
    expect(await refusal({}, () => rest)).toBe(`The checkpoint "run" cannot be read: ${name} was not given.`);
  });

  test.each([MODEL, STATE])('%s is cut off, anywhere', async (name) => {
    const files = await savedAfter(DDP, 2);
    const whole = bytes(files, name);
    for (const length of [0, 7, 100, whole.length - 300, whole.length - 1]) {
      const said = await refusal({}, () => ({ ...files, [name]: whole.slice(0, length) }));
      expect(said, `${length} bytes`).toMatch(new RegExp(`^${name.replaceAll('.', '\\.')}, byte \\d+: `));
    }
  });

  test.each([MODEL, STATE])('%s has a flipped bit: the tensor and its byte are named', async (name) => {
    const files = await savedAfter(DDP, 2);
    const damaged = bytes(files, name).slice();
    damaged[damaged.length - 2] = (damaged[damaged.length - 2] ?? 0) ^ 4;
    expect(await refusal({}, () => ({ ...files, [name]: damaged }))).toMatch(
      /, byte \d+: tensor "[\w.]+" has changed since it was saved/,
    );
  });

  test('files of two saves', async () => {
    const [one, two] = [await savedAfter(DDP, 2), await savedAfter(DDP, 3)];
    expect(await refusal({}, () => ({ [MODEL]: bytes(two, MODEL), [STATE]: bytes(one, STATE) }))).toContain(
      'tensor "0.weight" has changed since',
    );
  });

  test('a weights file alone is refused as a checkpoint', async () => {
    const files = await savedAfter(DDP, 2);
    expect(await refusal({}, () => ({ [MODEL]: bytes(files, MODEL), [STATE]: bytes(files, MODEL) }))).toContain(
      'this is not the state file of a Lockstep checkpoint',
    );
  });

  test('a refused checkpoint keeps the open run; a good one opens at its step', async () => {
    const s = await openTestSession(DDP);
    const before = await s.api.snapshot();
    const saved = await s.api.saveCheckpoint();
    const ports = () => [new MessageChannel().port2, new MessageChannel().port2] as const;
    const files = { [MODEL]: saved.model, [STATE]: saved.state.slice(0, 200) };
    await expect(s.api.open({ ...DDP, resume: 'run' }, files, ...ports())).rejects.toMatchObject({ code: 'data' });
    expect(await s.api.snapshot()).toEqual(before);
    await s.close();
  });
});
