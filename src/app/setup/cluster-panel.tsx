/** The placement of ranks on nodes, the device, and the options of the current mode. */
import type { FaceControl } from '../../parallel/face';
import { FACES } from '../../parallel/faces';
import type { DeviceReport } from '../../protocol/session-info';
import { RUN } from '../../protocol/words/run';
import { loadedPanel } from '../boundary/loaded-panel';
import { formatSize } from '../draw/format';
import { Opened } from '../fields/opened';
import { Section } from '../fields/section';
import { ChoiceSetting, FlagSetting, NumberSetting, TextSetting } from '../fields/settings';
import { SoftwareWord } from '../notices/software-word';
import { useApp } from '../state/use-app';
import { parseCap, printCap } from './cap-text';
import styles from './cluster-panel.module.css';
import { SplitEditor } from './split-editor';

const DdpPanel = loadedPanel('DDP’s settings', async () => (await import('./ddp-panel')).DdpPanel);
const MeshPanel = loadedPanel('The mesh', async () => (await import('./mesh/mesh-panel')).MeshPanel);
const PlanEditor = loadedPanel('The plan', async () => (await import('./plan/plan-editor')).PlanEditor);
const ScheduleFields = loadedPanel('The schedule', async () => (await import('./mesh/schedule-fields')).ScheduleFields);
const ShardingPanel = loadedPanel('The shards', async () => (await import('./sharding/sharding-panel')).ShardingPanel);
const StagesEditor = loadedPanel('The stages', async () => (await import('./mesh/stages-editor')).StagesEditor);
const LaunchPanel = loadedPanel('The launch lines', async () => (await import('../launch/launch-panel')).LaunchPanel);

const PLACEMENTS = { shared: 'one GPUDevice', workers: 'one worker per rank' } as const;
const DEVICES = { auto: 'automatic', webgpu: 'WebGPU', cpu: 'CPU' } as const;

export function ClusterPanel() {
  const face = useApp((app) => FACES[app.config.mode]);
  const device = useApp((app) => app.info?.device);
  return (
    <Section part="cluster" title="Cluster">
      <ChoiceSetting {...RUN.placement} words={PLACEMENTS} />
      <ChoiceSetting {...RUN.device} words={DEVICES} />
      {device && (
        <p className={styles['device']} data-software={(device.kind === 'webgpu' && device.software) || undefined}>
          <span>Computing on </span>
          <output aria-label="Computing device">{deviceText(device)}</output>
        </p>
      )}
      <SoftwareWord />
      {face.controls?.map((control) =>
        control.kind === 'panel' ? (
          <ModePanel key={control.panel} panel={control.panel} />
        ) : (
          <ModeSetting key={control.setting.path} control={control} />
        ),
      )}
      {!face.oneDevice && <FlagSetting {...RUN.compareSingle} />}
      <Opened label="Launch: nodes and ranks">
        <LaunchPanel />
      </Opened>
    </Section>
  );
}

function ModeSetting({ control }: { control: Exclude<FaceControl, { kind: 'panel' }> }) {
  switch (control.kind) {
    case 'choice':
      return <ChoiceSetting {...control.setting} words={control.words} />;
    case 'flag':
      return <FlagSetting {...control.setting} />;
    case 'number':
      return <NumberSetting {...control.setting} />;
    case 'size':
      return <TextSetting {...control.setting} print={printCap} parse={parseCap} />;
  }
}

function ModePanel({ panel }: { panel: Extract<FaceControl, { kind: 'panel' }>['panel'] }) {
  switch (panel) {
    case 'buckets':
      return <BucketList />;
    case 'moreOfDdp':
      return (
        <Opened label="More of DDP">
          <DdpPanel />
        </Opened>
      );
    case 'split':
      return <SplitEditor />;
    case 'mesh':
      return <MeshPanel />;
    case 'plan':
      return <PlanEditor />;
    case 'schedule':
      return <ScheduleFields />;
    case 'sharding':
      return <ShardingPanel />;
    case 'stages':
      return <StagesEditor />;
  }
}

function BucketList() {
  const buckets = useApp((app) => app.info?.buckets?.rebuilt ?? app.info?.buckets?.initial);
  if (!buckets || buckets.length === 0) return null;
  return (
    <ol className={styles['buckets']} aria-label="Buckets">
      {buckets.map((bucket, index) => (
        <li key={bucket.parameters.join()} title={bucket.parameters.join(', ')}>
          bucket {index}: {formatSize(bucket.bytes)}, {bucket.parameters.length} parameters
        </li>
      ))}
    </ol>
  );
}

/** The name of a software adapter says that it is one (runtime/webgpu/device.ts). */
export const deviceText = ({ kind, adapter, subgroups }: DeviceReport): string =>
  kind === 'cpu'
    ? 'CPU'
    : `WebGPU: ${adapter || 'unnamed adapter'}${subgroups ? `, kernels use subgroups of ${subgroups}` : ''}`;
