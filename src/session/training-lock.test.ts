/** Changes come one after the other; the last control message that comes meanwhile is handed on afterwards, once. */
import { expect, test } from 'vitest';
import type { ControlMessage } from '../protocol/session';
import { Turns } from './training-lock';

const PLAY: ControlMessage = { type: 'play', stepsPerSecond: 5 };
const PAUSE: ControlMessage = { type: 'pause' };

function recorded() {
  const obeyed: ControlMessage[] = [];
  return { obeyed, turns: new Turns((message) => obeyed.push(message)) };
}

test('without a pending change a message is handled at once', () => {
  const { obeyed, turns } = recorded();
  turns.control(PLAY);
  expect(turns.plays).toBe(true);
  turns.control(PAUSE);
  expect(turns.plays).toBe(false);
  expect(obeyed).toEqual([PLAY, PAUSE]);
});

test('changes run one after the other, and a failed change does not block the next', async () => {
  const { turns } = recorded();
  const order: string[] = [];
  const first = turns.change(async () => {
    await Promise.resolve();
    order.push('first');
    throw new Error('broken');
  });
  const second = turns.change(async () => order.push('second'));
  expect(turns.changing).toBe(true);
  await expect(first).rejects.toThrow('broken');
  await second;
  await turns.settled();
  expect(order).toEqual(['first', 'second']);
  expect(turns.changing).toBe(false);
});

test('of the messages during changes only the last is handled, after the last change', async () => {
  const { obeyed, turns } = recorded();
  const first = turns.change(async () => {});
  const second = turns.change(async () => expect(obeyed).toEqual([]));
  turns.control(PAUSE);
  turns.control(PLAY);
  await Promise.all([first, second]);
  expect(obeyed).toEqual([PLAY]);
});

test('after a change the run plays only if it played before and no message says otherwise', async () => {
  const { obeyed, turns } = recorded();
  turns.control(PLAY);
  await turns.change(async () => turns.goOn());
  expect(obeyed).toEqual([PLAY, PLAY]);
  await turns.change(async () => {
    turns.control(PAUSE);
    expect(turns.plays).toBe(false);
    turns.goOn();
  });
  expect(obeyed).toEqual([PLAY, PLAY, PAUSE]);
  turns.control(PLAY);
  turns.forget();
  await turns.change(async () => turns.goOn());
  expect(obeyed).toEqual([PLAY, PLAY, PAUSE, PLAY]);
});
