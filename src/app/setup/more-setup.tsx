/** The parts of the set-up below the first screen, which setup.tsx loads as one part. */
import { Boundary } from '../boundary/boundary';
import { Failures } from '../failures/failures';
import { ClusterPanel } from './cluster-panel';
import { HardwarePanel } from './hardware-panel';
import { ModelPanel } from './model-panel';
import { TrainingPanel } from './training-panel';

export function MoreSetup() {
  return (
    <>
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
