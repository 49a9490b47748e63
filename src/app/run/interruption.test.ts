import { expect, test } from 'vitest';
import { PAGE_CONFIG } from '../edit/page-config';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { createAppStore } from '../state/store';
import { Interruption } from './interruption';

function interrupted() {
  const store = createAppStore(PAGE_CONFIG, DEFAULT_VIEW);
  const done: string[] = [];
  const player = { play: () => done.push('play') };
  const interruption = new Interruption({
    store,
    player: player as unknown as ConstructorParameters<typeof Interruption>[0]['player'],
    arrival: {
      resume: async () => {
        done.push('resume');
      },
    },
    report: (error) => done.push(String(error)),
  });
  return { app: store.getState(), store, interruption, done };
}

test('what played plays again, once', () => {
  const { app, interruption, done } = interrupted();
  app.setState('playing');
  interruption.note();
  app.setState('loading');
  interruption.note();
  expect(interruption.pending).toBe(true);
  interruption.goOn();
  interruption.goOn();
  expect(done).toEqual(['play']);
});

test('what was on its way to a moment sets out again, from a run that rests', () => {
  const { app, store, interruption, done } = interrupted();
  app.setGoingTo(500);
  app.setState('playing');
  interruption.note();
  app.setGoingTo(undefined);
  app.setState('loading');
  interruption.goOn();
  expect(done).toEqual(['resume']);
  expect(store.getState().state).toBe('paused');
});

test('what rested, and what the user has stopped meanwhile, stays at rest', () => {
  const { app, interruption, done } = interrupted();
  app.setState('paused');
  interruption.note();
  expect(interruption.pending).toBe(false);
  app.setState('playing');
  interruption.note();
  interruption.forget();
  interruption.goOn();
  expect(done).toEqual([]);
});
