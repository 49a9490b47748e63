/** The set-up: everything that makes a run, in seven parts. A change applies at once, from the same seed. */
import { Boundary } from '../boundary/boundary';
import { Failures } from '../failures/failures';
import { ClusterPanel } from './cluster-panel';
import { DataPanel } from './data-panel';
import { HardwarePanel } from './hardware-panel';
import { ModelPanel } from './model-panel';
import { PresetsPanel } from './presets-panel';
import { TrainingPanel } from './training-panel';

export function Setup() {
  return (
    <>
      <Boundary what="The list of presets">
        <PresetsPanel />
      </Boundary>
      <Boundary what="The choice of data">
        <DataPanel />
      </Boundary>
      <Boundary what="The model">
        <ModelPanel />
      </Boundary>
      <Boundary what="The training settings">
        <TrainingPanel />
      </Boundary>
      <Boundary what="The cluster settings">
        <ClusterPanel />
      </Boundary>
      <Boundary what="The choice of hardware">
        <HardwarePanel />
      </Boundary>
      <Boundary what="The panel of failures">
        <Failures />
      </Boundary>
    </>
  );
}
