/** The set-up: all settings of a run. A change restarts the run at once, from the same seed. */
import { Boundary } from '../boundary/boundary';
import { laterPanel } from '../boundary/loaded-panel';
import { DataPanel } from './data-panel';
import { PresetsPanel } from './presets-panel';

const MoreSetup = laterPanel('The rest of the set-up', async () => (await import('./more-setup')).MoreSetup);

export function Setup() {
  return (
    <>
      <Boundary what="The list of presets">
        <PresetsPanel />
      </Boundary>
      <Boundary what="The choice of data">
        <DataPanel />
      </Boundary>
      <MoreSetup />
    </>
  );
}
