/** Where the ranks live and how they talk: placement, device, and the options of the mode in use. */
import { loadedPanel } from '../boundary/loaded-panel';
import { formatSize } from '../draw/format';
import { Opened } from '../fields/opened';
import { Section } from '../fields/section';
import { ChoiceSetting, FlagSetting, NumberSetting, TextSetting } from '../fields/settings';
import { mebibytes } from '../permalink/permalink-keys';
import { useApp } from '../state/use-app';
import styles from './cluster-panel.module.css';
import { SplitEditor } from './split-editor';

const DdpPanel = loadedPanel('DDP’s settings', async () => (await import('./ddp-panel')).DdpPanel);
const LaunchPanel = loadedPanel('The launch lines', async () => (await import('../launch/launch-panel')).LaunchPanel);

const PLACEMENTS = { shared: 'one GPUDevice', workers: 'one worker per rank' } as const;
const DEVICES = { auto: 'automatic', webgpu: 'WebGPU', cpu: 'CPU' } as const;
const ALGORITHMS = {
  ring: 'ring',
  naive: 'naive (through rank 0)',
  tree: 'binary tree',
  doubleTree: 'double binary tree',
  halvingDoubling: 'halving-doubling',
  hierarchical: 'hierarchical over nodes',
} as const;

/** "1 KiB", "25 MiB", "default"; a bare number is MiB. */
const printCap = (value: unknown) => mebibytes.print(value).replace(/(KiB|MiB)$/, ' $1');
const parseCap = (text: string) =>
  mebibytes.parse(text.replaceAll(' ', '').replace(/kib/i, 'KiB').replace(/mib/i, 'MiB'));

export function ClusterPanel() {
  const mode = useApp((app) => app.config.mode);
  const buckets = useApp((app) => app.info?.buckets?.rebuilt ?? app.info?.buckets?.initial);
  const device = useApp((app) => app.info?.device);
  return (
    <Section part="cluster" title="Cluster">
      <ChoiceSetting
        label="Ranks live in"
        path="placement"
        words={PLACEMENTS}
        title="One GPUDevice: transfers are copies on the GPU. One worker per rank: transfers go through host memory."
      />
      <ChoiceSetting label="Device" path="device" words={DEVICES} />
      {device && (
        <p className={styles['device']} data-software={(device.kind === 'webgpu' && device.software) || undefined}>
          <span>Computing on </span>
          <output aria-label="Computing device">{deviceText(device)}</output>
        </p>
      )}
      {mode === 'ddp' && (
        <>
          <ChoiceSetting label="All-reduce" path="ddp.algorithm" words={ALGORITHMS} />
          <TextSetting
            label="Bucket cap"
            path="ddp.bucketCapMb"
            print={printCap}
            parse={parseCap}
            title="bucket_cap_mb: a gradient bucket is closed when it holds this much. “default”: the first 1 MiB, the others 25 MiB. Any number, even 25, also replaces the 1 MiB of the first. Real models leave it out; it is tiny here so that small models have several buckets"
          />
          <FlagSetting label="Overlap" path="ddp.overlap" title="All-reduce while backward still computes" />
          <NumberSetting label="Sampler seed" path="ddp.samplerSeed" />
          {buckets && buckets.length > 0 && (
            <ol className={styles['buckets']} aria-label="Buckets">
              {buckets.map((bucket, index) => (
                <li key={bucket.parameters.join()} title={bucket.parameters.join(', ')}>
                  bucket {index}: {formatSize(bucket.bytes)}, {bucket.parameters.length} parameters
                </li>
              ))}
            </ol>
          )}
        </>
      )}
      {mode === 'ddp' && (
        <Opened label="More of DDP">
          <DdpPanel />
        </Opened>
      )}
      {mode === 'modelParallel' && <SplitEditor />}
      {mode === 'parameterServer' && (
        <>
          <FlagSetting
            label="Synchronous"
            path="parameterServer.synchronous"
            title="A step waits for the gradients of all workers; off: the workers' gradients are applied one after the other"
          />
          <NumberSetting
            label="Staleness"
            path="parameterServer.staleness"
            title="Asynchronous: updates that a worker's parameters are behind the server's when its gradient is applied"
          />
        </>
      )}
      {mode !== 'single' && <FlagSetting label="Compare with Single" path="compareSingle" />}
      <Opened label="Launch: nodes and ranks">
        <LaunchPanel />
      </Opened>
    </Section>
  );
}

export function deviceText(device: { kind: 'webgpu' | 'cpu'; adapter: string; software: boolean }): string {
  if (device.kind === 'cpu') return 'CPU';
  return `WebGPU: ${device.adapter || 'unnamed adapter'}${device.software ? ' (software)' : ''}`;
}
