/** The contents of a figure of a run: the sentence of the moment, and the playground's views, in the table's order. */
import { type ComponentType, useState } from 'react';
import { loadedPanel } from '../../../app/boundary/loaded-panel';
import { ScrollRegion } from '../../../app/fields/scroll-region';
import { StageHead } from '../../../app/stage/stage-head';
import { StagePlace } from '../../../app/stage/stage-place';
import { useApp, useAppStore, useSettled } from '../../../app/state/use-app';
import { TimelinePlace } from '../../../app/timeline/timeline-place';
import type { View } from '../../lesson';
import { StaticTable } from '../../page/static-table';
import type { Heights } from './heights';
import { LitRoom } from './lit-room';
import { useFigure } from './use-figure';
import styles from './views.module.css';

const LossChart = loadedPanel('The losses', async () => (await import('../../../app/result/loss-chart')).LossChart);
const Field = loadedPanel('The decision field', async () => (await import('../../../app/result/field')).Field);
const BucketView = loadedPanel('The buckets', async () => (await import('./bucket-view')).BucketView);
const ScheduleFigure = loadedPanel('The schedule', async () => (await import('./schedule-figure')).ScheduleFigure);
const EditorFigure = loadedPanel('The schedule editor', async () => (await import('./editor-figure')).EditorFigure);
const RangeView = loadedPanel(
  'The sizes of the gradients',
  async () => (await import('../../../app/setup/precision/precision-views')).RangeView,
);
const ScaleView = loadedPanel(
  'The scale over the steps',
  async () => (await import('../../../app/setup/precision/precision-views')).ScaleView,
);
const CurveView = loadedPanel('The memory over the step', async () => (await import('./curve-view')).CurveView);
const MemoryTable = loadedPanel(
  'The memory, tensor by tensor',
  async () => (await import('../../../app/memory/memory-table')).MemoryTable,
);

type RunView = Exclude<View, 'lab'>;

/** `heights`: of the pictures that the views replace. */
export function RunViews({ heights }: { readonly heights: Heights }) {
  const { spec } = useFigure();
  return (
    <>
      <StageHead />
      {spec.show.map((view) => {
        if (view === 'lab') return null;
        const Shown = VIEWS[view];
        return (
          <div
            key={view}
            className={styles[view]}
            data-view={view}
            style={AS_HIGH_AS_THEY_ARE.has(view) ? { minHeight: heights.get(view) } : { height: heights.get(view) }}
          >
            <Shown />
          </div>
        );
      })}
    </>
  );
}

/**
 * These are as high as what they say, at least as high as their pictures; the last three have a head, too, that their
 * pictures have not. A curve has more rows of its legend where the window gets narrower.
 */
const AS_HIGH_AS_THEY_ARE: ReadonlySet<View> = new Set([
  'memory',
  'curve',
  'range',
  'scale',
  'buckets',
  'devices',
  'timeline',
  'schedule',
  'editor',
] as const);

const VIEWS: Readonly<Record<RunView, ComponentType>> = {
  stage: StageView,
  timeline: TimelinePlace,
  schedule: ScheduleFigure,
  editor: EditorFigure,
  loss: LossChart,
  field: Field,
  memory: Memory,
  curve: CurveView,
  range: RangeView,
  scale: ScaleView,
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

/** Memory by kind, as in the static figure; a fold shows it tensor by tensor. */
function Memory() {
  const memory = useApp((app) => app.info?.memory);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Table view="memory" />
      {memory && (
        <details className={styles['more']} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Tensor by tensor</summary>
          {open && <MemoryTable memory={memory} device={0} />}
        </details>
      )}
    </>
  );
}

function Buckets() {
  return (
    <>
      <Table view="buckets" />
      <BucketView />
    </>
  );
}

function Devices() {
  return <Table view="devices" />;
}

const EVERY_MS = 150;

function Table({ view }: { readonly view: 'memory' | 'buckets' | 'devices' }) {
  const { id } = useFigure();
  const store = useAppStore();
  const [info, trace] = useSettled(
    ({ info: of, cursor, traces, clock }) => [of, cursor && traces[cursor.trace], clock] as const,
    EVERY_MS,
  );
  // After a change of mode the run may have no buckets.
  if (!info || !trace || (view === 'buckets' && !info.buckets)) return null;
  return (
    <ScrollRegion label={`${LABELS[view]}, figure ${id}`} className={styles['table']}>
      <StaticTable view={view} app={store.getState()} />
    </ScrollRegion>
  );
}

const LABELS = { memory: 'Memory by kind', buckets: 'Buckets', devices: 'The step by device' } as const;
