/**
 * Looking at a run changes nothing that is saved: the step that an open session has run to be shown is not in the
 * checkpoint of its start.
 */
import { expect, test } from 'vitest';
import type { CheckpointFiles, Files } from '../../protocol/session';
import { openTestSession } from '../../session/testing/open-session';
import { NET, savedAfter } from '../testing/checkpoint-runs';
import { describeCheckpoint } from './describe-checkpoint';
import { modelFileName, stateFileName } from './file-names';
import { readCheckpoint } from './read-checkpoint';

const filesOf = ({ model, state }: CheckpointFiles): Files => ({
  [modelFileName('run')]: model,
  [stateFileName('run')]: state,
});

/** All but the configuration, which says of the copy what it was resumed from. */
function contents(files: Files): unknown {
  const { config: _, batches, ...rest } = readCheckpoint('run', files);
  return { ...rest, rows: batches.batches, generators: batches.generators.map((g) => g.position()) };
}

test.each(['single', 'ddp', 'dataParallel', 'modelParallel', 'parameterServer'] as const)(
  '%s: loaded, looked at and saved, a checkpoint is what it was, and the run goes on',
  async (mode) => {
    const config = { ...NET, mode };
    const files = await savedAfter(config, 4);
    const straight = await openTestSession({ ...config, resume: 'run' }, { files });
    const losses = [(await straight.api.traceStep()).losses, (await straight.api.traceStep()).losses];
    await straight.close();

    const s = await openTestSession({ ...config, resume: 'run' }, { files });
    expect((await s.api.traceStep()).losses).toEqual(losses[0]);
    const again = await s.api.saveCheckpoint({ atStart: true });
    expect(contents(filesOf(again))).toEqual(contents(files));
    expect((await s.api.traceStep()).losses).toEqual(losses[1]);
    expect(describeCheckpoint('run', (await s.api.saveCheckpoint()).state).step).toBe(6);
    await s.close();
  },
);

test('a fresh session that has shown its first step saves before step 0', async () => {
  const s = await openTestSession({ ...NET, mode: 'ddp' });
  await s.api.traceStep();
  const files = await s.api.saveCheckpoint({ atStart: true });
  expect(describeCheckpoint('run', files.state).step).toBe(0);
  expect(contents(filesOf(files))).toEqual(contents(await savedAfter({ ...NET, mode: 'ddp' }, 0)));
  await s.close();
});
