/**
 * The editor of model parallel's split: which layers are on which device. Buttons move a device's last layer to the
 * next device, or its first to the previous one.
 */
import type { LayerConfig } from '../../protocol/config';
import { MODEL_PARALLEL } from '../../protocol/words/parts';
import { usePalette } from '../draw/canvas-context';
import { withSplit } from '../edit/edit-split';
import fields from '../fields/fields.module.css';
import { problemSentence } from '../fields/problem-sentence';
import { layerText } from '../model/layer-words';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './cluster-panel.module.css';

export function SplitEditor() {
  const config = useApp((app) => app.config);
  const layersOfDevice = useApp((app) => app.info?.layersOfDevice);
  const controller = useController();
  const { ranks } = usePalette();
  if (!layersOfDevice || layersOfDevice.length < 2) return null;
  const split = layersOfDevice.map((layers) => layers.length);
  const move = (from: number, to: number) => {
    const next = split.map((count, device) => count + (device === to ? 1 : 0) - (device === from ? 1 : 0));
    const edit = withSplit(config, next);
    if (edit.ok) controller.apply(edit.config);
    else controller.say({ level: 'warning', id: 'config-split', text: problemSentence(edit.problem), hint: '' });
  };
  const button = (from: number, to: number) => (
    <button
      type="button"
      className={`${fields['button']} ${fields['small']}`}
      disabled={(split[from] ?? 0) < 2}
      aria-label={`Move a layer from cuda:${from} to cuda:${to}`}
      title={`Move a layer to cuda:${to}`}
      onClick={() => move(from, to)}
    >
      {to < from ? '↑' : '↓'}
    </button>
  );
  return (
    <ol className={styles['split']} aria-label={MODEL_PARALLEL.split.title} title={MODEL_PARALLEL.split.description}>
      {layersOfDevice.map((layers, device) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a device is its index
        <li key={device} style={{ ['--rank' as string]: ranks[device] }}>
          <div className={styles['moves']}>
            {device > 0 && button(device, device - 1)}
            {device < split.length - 1 && button(device, device + 1)}
          </div>
          <b>cuda:{device}</b>
          <span>{wordsOf(layers.flatMap((index) => config.model.layers[index] ?? []))}</span>
        </li>
      ))}
    </ol>
  );
}

/** Words for a device's layers; for many layers, the number of each kind. */
function wordsOf(layers: readonly LayerConfig[]): string {
  if (layers.length <= 4) return layers.map(layerText).join(', ');
  const counts = new Map<string, number>();
  for (const { type } of layers) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => (count === 1 ? type : `${count} ${type}`)).join(', ');
}
