/** The tables that few users need, below the headline numbers: by device, and by layer if layers are divided. */
import type { DeviceMemory, StepTrace } from '../../protocol/trace';
import type { Metrics } from '../../trace/metrics';
import { DeviceTable } from './device-table';
import { LayerTable } from './layer-table';

interface TablesProps {
  readonly trace: StepTrace;
  readonly metrics: Metrics;
  readonly memory: readonly DeviceMemory[];
}

export function Tables({ trace, metrics, memory }: TablesProps) {
  const { layers } = metrics.formula;
  return (
    <>
      <DeviceTable metrics={metrics} memory={memory} />
      {layers && <LayerTable trace={trace} layers={layers} />}
    </>
  );
}
