/** Opening, curing and leaving an exhibit of the museum: the link names the open exhibit, and the page runs it. */
import * as v from 'valibot';
import { type ExhibitId, exhibitConfig } from '../../museum/mistakes';
import { configSchema } from '../../protocol/config';
import { useUrlSync } from '../address/use-address';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';

export interface ExhibitActions {
  look(id: ExhibitId, cured: boolean): void;
  leave(): void;
}

export function useExhibit(): ExhibitActions {
  const setView = useApp((app) => app.setView);
  const controller = useController();
  const urlSync = useUrlSync();
  return {
    look(id, cured) {
      setView({ exhibit: { id, cured } });
      const settings = exhibitConfig(id, cured);
      if (settings) controller.apply(v.parse(configSchema, settings));
      else urlSync.write();
    },
    /** Leaves the exhibit; its run stays. */
    leave() {
      setView({ exhibit: undefined });
      urlSync.write();
    },
  };
}
