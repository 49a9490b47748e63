/** The set-up: everything that makes a run, in five parts. A change applies at once, from the same seed. */
import { ClusterPanel } from './cluster-panel';
import { DataPanel } from './data-panel';
import { HardwarePanel } from './hardware-panel';
import { ModelPanel } from './model-panel';
import { TrainingPanel } from './training-panel';

export function Setup() {
  return (
    <>
      <DataPanel />
      <ModelPanel />
      <TrainingPanel />
      <ClusterPanel />
      <HardwarePanel />
    </>
  );
}
