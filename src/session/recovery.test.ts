/**
 * What becomes of a run after a failure: the phase, the turns and the reports are real, the supervisor only decides and
 * counts, so that each order of events can be made.
 */
import { expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import type { Snapshots } from '../inference/snapshot';
import type { ControlMessage } from '../protocol/session';
import type { SessionEvent } from '../protocol/session-events';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import type { Supervisor } from '../training/supervisor';
import type { Training } from '../training/training';
import type { CurrentPlayer } from './current-player';
import { SessionPhase } from './phase';
import { Recovery, type RecoveryOptions } from './recovery';
import { Reports } from './reports';
import { Turns } from './training-lock';

const lost = (what = 'The GPU device was lost.') => new LockstepError('device-lost', what, 'Reload the page.');
const PLAY: ControlMessage = { type: 'play', stepsPerSecond: 0 };

interface FakeTraining {
  readonly name: string;
  readonly training: Training;
  lose(error: LockstepError): void;
}

function trainingOf(name: string, microBatch: number): FakeTraining {
  let lose: (error: LockstepError) => void = () => undefined;
  const training = {
    microBatch,
    device: { name },
    notices: [],
    lost: new Promise<LockstepError>((resolve) => {
      lose = resolve;
    }),
    weights: async () => ({ microBatch }),
  };
  return { name, training: training as unknown as Training, lose: (error) => lose(error) };
}

/** `replace`: what each attempt to start anew does; `restarts`: how many the supervisor allows. */
function run({ replace = [], restarts = 3 }: { replace?: (() => Promise<void>)[]; restarts?: number } = {}) {
  const events: SessionEvent[] = [];
  const obeyed: string[] = [];
  const replaced: number[] = [];
  const reports = new Reports((event) => events.push(event), {
    take: (weights: unknown) => weights,
  } as unknown as Snapshots);
  const phase = new SessionPhase();
  const turns = new Turns(({ type }) => obeyed.push(type));
  const trainings = [trainingOf('first', 7)];
  const player = {
    heard: undefined as Training | undefined,
    now: { checkpoint: { microBatch: 4 } as Checkpoint },
    take(training: Training) {
      player.heard = training;
    },
    silence() {
      player.heard = undefined;
    },
  };
  const newest = () => {
    const last = trainings.at(-1);
    if (!last) throw new Error('no training');
    return last;
  };
  const notice = (id: string) => ({ level: 'warning' as const, id, text: id, hint: '' });
  const supervisor = {
    get training() {
      return newest().training;
    },
    failed: (error: LockstepError) => error,
    explained: (error: LockstepError) => error,
    restartsAfter: () => restarts-- > 0,
    restartingNotice: () => notice('restarting'),
    recoveredNotice: ({ outcome }: { outcome: string }) => notice(`recovered, ${outcome}`),
    gaveUpNotice: (_: LockstepError, { again }: { again?: LockstepError }) => notice(`gave up, ${again?.message}`),
    waitsAfter: () => false,
    leftBehind: (kept: Checkpoint | undefined) => kept,
    async replace({ microBatch }: { microBatch: number }) {
      await replace.shift()?.();
      replaced.push(microBatch);
      trainings.push(trainingOf(`number ${trainings.length + 1}`, microBatch));
    },
  };
  const recovery = new Recovery({
    blueprint: {} as RecoveryOptions['blueprint'],
    supervisor: supervisor as unknown as Supervisor,
    phase,
    turns,
    reports,
    player: player as unknown as CurrentPlayer,
  });
  reports.finished = 7;
  recovery.attach(newest().training, undefined);
  const states = () =>
    events.flatMap((event) => (event.type === 'state' ? [`${event.state} at ${event.microBatch}`] : []));
  const notices = () => events.flatMap((event) => (event.type === 'notice' ? [event.notice.id] : []));
  return { events, states, notices, obeyed, replaced, reports, phase, turns, trainings, newest, player, recovery };
}

/** All that follows from what has happened. */
const settled = async ({ turns }: ReturnType<typeof run>) => {
  await new Promise((resolve) => setTimeout(resolve));
  await turns.settled();
  await new Promise((resolve) => setTimeout(resolve));
};

test('a run that played continues by itself, from the same micro-batch', async () => {
  const own = run();
  own.turns.control(PLAY);
  own.newest().lose(lost());
  await settled(own);
  expect(own.replaced).toEqual([7]);
  expect(own.states()).toEqual(['restarting at 7']);
  expect(own.notices()).toEqual(['restarting', 'recovered, playing']);
  expect(own.obeyed).toEqual(['play', 'play']);
  expect(own.player.heard).toBe(own.newest().training);
  expect(own.phase.is).toBe('runs');
});

test('a run that rested rests; so does one that the user pauses while it is replaced', async () => {
  const resting = run();
  resting.newest().lose(lost());
  await settled(resting);
  expect(resting.states()).toEqual(['restarting at 7', 'paused at 7']);
  let go: () => void = () => undefined;
  const paused = run({ replace: [() => new Promise((resolve) => (go = resolve))] });
  paused.turns.control(PLAY);
  paused.newest().lose(lost());
  await new Promise((resolve) => setTimeout(resolve));
  paused.turns.control({ type: 'pause' });
  go();
  await settled(paused);
  expect(paused.notices()).toEqual(['restarting', 'recovered, paused']);
  expect(paused.obeyed).toEqual(['play', 'pause']);
});

test('a failure of a training that has been replaced, and a second one of the same, are not reported', async () => {
  const own = run();
  const first = own.newest();
  own.recovery.fail(first.training, lost());
  own.recovery.fail(first.training, lost('again'));
  await settled(own);
  first.lose(lost('late'));
  await settled(own);
  expect(own.replaced).toEqual([7]);
  expect(own.notices()).toEqual(['restarting', 'recovered, paused']);
});

test('a device that is lost again while it is replaced: another attempt, as long as there are restarts', async () => {
  const fails = () => Promise.reject(lost('lost again'));
  const own = run({ replace: [fails, fails] });
  own.newest().lose(lost());
  await settled(own);
  expect(own.replaced).toEqual([7]);
  expect(own.states().at(-1)).toBe('paused at 7');
  const ended = run({ replace: [fails, fails], restarts: 2 });
  ended.newest().lose(lost());
  await settled(ended);
  expect(ended.replaced).toEqual([]);
  expect(ended.notices()).toEqual(['restarting', 'gave up, lost again']);
  // What is left is the last checkpoint.
  expect(ended.states()).toEqual(['restarting at 7', 'failed at 4']);
  expect(ended.reports.finished).toBe(4);
  expect(ended.player.heard).toBeUndefined();
  expect(ended.phase.is).toBe('broken');
});

test('without a restart left the run ends at its last checkpoint', async () => {
  const own = run({ restarts: 0 });
  own.turns.control(PLAY);
  own.newest().lose(lost());
  await settled(own);
  expect(own.states()).toEqual(['failed at 4']);
  expect(own.notices()).toEqual(['gave up, undefined']);
});

test('a request that fails because of the device is repeated with the new training', async () => {
  const own = run();
  const asked: string[] = [];
  const answer = await own.recovery.outlive(async () => {
    asked.push(own.newest().name);
    if (asked.length === 1) throw lost();
    return 42;
  });
  expect(answer).toBe(42);
  expect(asked).toEqual(['first', 'number 2']);
});

test('a request that fails for another reason, or because the run has ended, returns this error', async () => {
  const own = run();
  const wrong = new LockstepError('config', 'No such rank.', 'Choose another one.');
  await expect(own.recovery.outlive(() => Promise.reject(wrong))).rejects.toBe(wrong);
  expect(own.phase.is).toBe('runs');
  const ended = run({ restarts: 0 });
  await expect(ended.recovery.outlive(() => Promise.reject(lost()))).rejects.toThrow('The GPU device was lost.');
  expect(ended.states()).toEqual(['failed at 4']);
});

test('a run that is closed while it is being replaced says nothing more', async () => {
  let go: () => void = () => undefined;
  const own = run({ replace: [() => new Promise((resolve) => (go = resolve))] });
  own.newest().lose(lost());
  await new Promise((resolve) => setTimeout(resolve));
  own.phase.close();
  own.reports.close();
  const before = own.events.length;
  go();
  await settled(own);
  expect(own.events).toHaveLength(before);
});
