/**
 * The two scripts of the lesson in the PyTorch of this machine: what the lesson says about stopping them, starting them
 * again, exchanging their checkpoints, and about a rank that is killed.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { at } from '../../src/base/invariant';
import {
  pythonWithTorch,
  runTorchScripts,
  sayNoTorch,
  type TorchOutput,
  type TorchScript,
} from '../../src/training/testing/torch-scripts';

const ONE = 'one_gpu.py';
const MANY = 'many_gpus.py';
const CHECKPOINT = 'checkpoint.pt';

/** The file as `python FILE EPOCHS` runs it. Says epoch, loss and accuracy of each line that it prints. */
const running = (file: string, epochs: number, before = ''): string => `
import contextlib, io, re, runpy, sys
${before}
said = io.StringIO()
sys.argv = ['${file}', '${epochs}']
with contextlib.redirect_stdout(said):
    runpy.run_path('${file}', run_name='__main__')
print(*re.findall(r'[0-9.]+', said.getvalue()))
`;

function scriptOf(file: string, epochs: number, checkpoint?: Uint8Array, before?: string): TorchScript {
  const text = readFileSync(new URL(`./scripts/${file}`, import.meta.url));
  return {
    code: running(file, epochs, before),
    processes: file === ONE ? 1 : 4,
    files: { [file]: text, ...(checkpoint && { [CHECKPOINT]: checkpoint }) },
    gives: [CHECKPOINT],
  };
}

/** Rank 2 ends like a process that the system killed, when the second epoch begins. */
const KILL_RANK_2 = `
import os, signal
from torch.utils.data import DistributedSampler
set_epoch = DistributedSampler.set_epoch
def kill(sampler, epoch):
    if epoch == 1 and os.environ['RANK'] == '2':
        os.kill(os.getpid(), signal.SIGKILL)
    set_epoch(sampler, epoch)
DistributedSampler.set_epoch = kill
`;

const saved = (output: TorchOutput): Uint8Array => Buffer.from(output.files[CHECKPOINT] ?? '', 'base64');
const printed = (output: TorchOutput): readonly number[] => output.printed[0] ?? [];

test('the scripts, whole, stopped and resumed', () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch('The scripts of the lesson "your-script" were not run.');
  const first = runTorchScripts(python, [
    scriptOf(ONE, 4),
    scriptOf(ONE, 2),
    scriptOf(MANY, 4),
    scriptOf(MANY, 2),
    scriptOf(MANY, 4, undefined, KILL_RANK_2),
  ]).outputs;
  const [one, oneStopped, many, manyStopped, killed] = [0, 1, 2, 3, 4].map((i) => at(first, i)) as [
    TorchOutput,
    TorchOutput,
    TorchOutput,
    TorchOutput,
    TorchOutput,
  ];
  expect([one, oneStopped, many, manyStopped].map(({ error }) => error)).toEqual([null, null, null, null]);
  expect(printed(many)).toHaveLength(4 * 3);
  expect(many.printed.slice(1)).toEqual([[], [], []]);

  const [oneResumed, manyResumed, exchanged] = runTorchScripts(python, [
    scriptOf(ONE, 4, saved(oneStopped)),
    scriptOf(MANY, 4, saved(manyStopped)),
    scriptOf(ONE, 3, saved(manyStopped)),
  ]).outputs as [TorchOutput, TorchOutput, TorchOutput];
  expect([oneResumed, manyResumed, exchanged].map(({ error }) => error)).toEqual([null, null, null]);
  // Epoch, loss and accuracy of the two epochs after the stop.
  expect(printed(manyResumed)).toEqual(printed(many).slice(6));
  expect(printed(oneResumed)[0]).toBe(2);
  expect(printed(oneResumed)[1]).not.toBe(printed(one)[7]);
  expect(printed(oneResumed)[1]).toBeCloseTo(printed(one)[7] ?? Number.NaN, 1);
  expect(printed(exchanged)[0]).toBe(2);
  expect(printed(exchanged)[1]).toBeLessThan(printed(many)[4] ?? 0);

  expect(killed.error, 'the other ranks fail by themselves').toMatch(/closed by peer|reset by peer/i);
});
