import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { exitStatus } from './exit-status.mjs';

const endOf = (signal: NodeJS.Signals): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)']);
    child.stdout.once('data', () => child.kill(signal));
    child.on('exit', (...ended) => resolve(exitStatus(...ended)));
  });

test('the exit status of a process that a signal ended has the number of this signal', async () => {
  expect(await endOf('SIGINT')).toBe(130);
  expect(await endOf('SIGTERM')).toBe(143);
  expect(exitStatus(2, null)).toBe(2);
});
