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

test('a run that played plays again, once', () => {
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

test('a run on its way to a moment starts again, after the new run is at rest', () => {
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

test('a paused run, and a run that the user has paused meanwhile, stay paused', () => {
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
