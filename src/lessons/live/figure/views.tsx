/** What a figure of a run shows: the sentence of the moment, and the playground's own views, in the table's order. */
import { type ComponentType, useEffect, useMemo } from 'react';
import { loadedPanel } from '../../../app/boundary/loaded-panel';
import { StageHead } from '../../../app/stage/stage-head';
import { StagePlace } from '../../../app/stage/stage-place';
import { useApp, useLinkedViews, useSettled } from '../../../app/state/use-app';
import { TimelinePlace } from '../../../app/timeline/timeline-place';
import { metricsOf } from '../../../trace/metrics';
import type { View } from '../../lesson';
import type { Heights } from './heights';
import { LitRoom } from './lit-room';
import { useFigure } from './use-figure';
import styles from './views.module.css';

const LossChart = loadedPanel('The losses', async () => (await import('../../../app/result/loss-chart')).LossChart);
const Field = loadedPanel('The decision field', async () => (await import('../../../app/result/field')).Field);
const Buckets = loadedPanel('The buckets', async () => (await import('./bucket-view')).BucketView);
const DeviceTable = loadedPanel(
  'The table of the devices',
  async () => (await import('../../../app/result/device-table')).DeviceTable,
);
const MemoryTable = loadedPanel(
  'The memory, tensor by tensor',
  async () => (await import('../../../app/memory/memory-table')).MemoryTable,
);

type RunView = Exclude<View, 'lab'>;

/** `heights`: of the pictures in whose places they are. */
export function RunViews({ heights }: { readonly heights: Heights }) {
  const { spec } = useFigure();
  return (
    <>
      <StageHead />
      {spec.show.map((view) => {
        if (view === 'lab') return null;
        const Shown = VIEWS[view];
        return (
          <div key={view} className={styles[view]} data-view={view} style={{ height: heights.get(view) }}>
            <Shown />
          </div>
        );
      })}
    </>
  );
}

const VIEWS: Readonly<Record<RunView, ComponentType>> = {
  stage: StageView,
  timeline: TimelinePlace,
  loss: LossChart,
  field: Field,
  memory: Memory,
  buckets: Buckets,
  devices: Devices,
};

function StageView() {
  return (
    <>
      <StagePlace />
      <LitRoom />
    </>
  );
}

function Memory() {
  const memory = useApp((app) => app.info?.memory);
  const shown = useApp((app) => app.memoryOf ?? 0);
  return memory && <MemoryTable memory={memory} device={shown} />;
}

const EVERY_MS = 150;

function Devices() {
  const [trace, info, clock] = useSettled(
    ({ cursor, traces, info: of, clock: on }) => [cursor && traces[cursor.trace], of, on] as const,
    EVERY_MS,
  );
  const metrics = useMemo(() => trace && info && metricsOf(trace, clock, info), [trace, clock, info]);
  const linked = useLinkedViews();
  // It is the figure, so it is open from the beginning.
  useEffect(() => {
    linked.ask(new Map([['devices', '']]));
  }, [linked]);
  return metrics && info && <DeviceTable metrics={metrics} memory={info.memory} />;
}
