/**
 * Takes files that are dropped anywhere on the page, or chosen with the button: data to train on, or weights to start
 * from. If something is wrong with them, a notice says so and the old data stays.
 */
import type { LockstepError } from '../../base/errors';
import { loadPart } from '../../base/load-part';
import type { GivenFile } from '../looks/dropped-folders';
import { useController } from '../run/use-controller';
import { useAppStore } from '../state/use-app';

export function useTakeFiles(): (files: readonly GivenFile[]) => void {
  const controller = useController();
  const store = useAppStore();
  return (given) => {
    const { lock } = store.getState();
    if (given.length === 0 || lock.has('data') || lock.has('setup')) return;
    loadPart('The reader of files', () => import('../looks/read-given')).then(
      ({ readGiven }) => readGiven(given, store, controller),
      (error: LockstepError) =>
        controller.say({ level: 'error', id: 'data', text: error.message, hint: error.hint || 'The old data stays.' }),
    );
  };
}
