/** The set-up: everything that makes a run, in seven parts. A change applies at once, from the same seed. */
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
      <PresetsPanel />
      <DataPanel />
      <ModelPanel />
      <TrainingPanel />
      <ClusterPanel />
      <HardwarePanel />
      <Failures />
    </>
  );
}
