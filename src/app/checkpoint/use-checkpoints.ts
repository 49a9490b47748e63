/**
 * The actions of the checkpoint dialog (save, load, download, delete, start again), and the line about the last result.
 * Drawn by checkpoint-panel.tsx.
 */
import { useCallback, useEffect, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { formatCount } from '../draw/format';
import { saveFile } from '../files/save-file';
import { useController } from '../run/use-controller';
import { useAppStore } from '../state/use-app';
import {
  deleteCheckpoint,
  listCheckpoints,
  type StoredCheckpoint,
  storeCheckpoint,
  storedFiles,
} from '../stored/checkpoint-store';
import { checkpointAmong, type NamedCheckpoint, zipOf, zipOfShards } from '../stored/checkpoint-zip';
import { type SettingsOf, withCheckpoint, withoutCheckpoint } from '../stored/with-checkpoint';

const words = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

export interface Checkpoints {
  /** The checkpoints in this browser, newest first. */
  readonly kept: readonly StoredCheckpoint[];
  /** The result of the last action, in words. */
  readonly said: string;
  keep(name: string): void;
  download(name: string): void;
  /** One file for each rank and an index. */
  downloadShards(name: string): void;
  loadKept(name: string): void;
  downloadKept(name: string): void;
  remove(name: string): void;
  loadFiles(files: readonly File[]): void;
  beginAnew(): void;
}

/** `settingsOf`: whether a loaded checkpoint runs with its own settings or the page's. */
export function useCheckpoints(settingsOf: SettingsOf, close: () => void): Checkpoints {
  const store = useAppStore();
  const controller = useController();
  const [kept, setKept] = useState<readonly StoredCheckpoint[]>([]);
  const [said, setSaid] = useState('');
  const refresh = useCallback(async () => setKept(await listCheckpoints()), []);
  useEffect(() => {
    refresh().catch((error: unknown) =>
      setSaid(`This browser cannot store checkpoints for this page: ${words(error)}`),
    );
  }, [refresh]);

  const attempt = (task: () => Promise<string>): void => {
    task().then(setSaid, (error: unknown) => setSaid(`That did not work: ${words(error)}`));
  };
  const open = (checkpoint: NamedCheckpoint): void => {
    const { config, files } = withCheckpoint(store.getState().config, checkpoint, settingsOf);
    controller.trainOn(files, config);
    close();
  };
  return {
    kept,
    said,
    keep: (name) =>
      attempt(async () => {
        const files = await controller.saveCheckpoint();
        const { describeCheckpoint } = await loadPart(
          'The reader of checkpoints',
          () => import('../../training/checkpoint/describe-checkpoint'),
        );
        const { step, mode, worldSize } = describeCheckpoint(name, files.state);
        const bytes = files.model.length + files.state.length;
        await storeCheckpoint({ name, savedAt: Date.now(), bytes, step, mode, worldSize }, files);
        await refresh();
        return `Saved "${name}" before step ${formatCount(step)}.`;
      }),
    download: (name) => attempt(async () => download({ name, files: await controller.saveCheckpoint() })),
    downloadShards: (name) =>
      attempt(async () => downloadZip(`${name}-shards`, zipOfShards(name, await controller.saveShards()))),
    loadKept: (name) =>
      attempt(async () => {
        open(await stored(name));
        return '';
      }),
    downloadKept: (name) => attempt(async () => download(await stored(name))),
    remove: (name) =>
      attempt(async () => {
        await deleteCheckpoint(name);
        await refresh();
        return `Deleted "${name}".`;
      }),
    loadFiles: (chosen) =>
      attempt(async () => {
        const read = chosen.map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())] as const);
        const found = checkpointAmong(Object.fromEntries(await Promise.all(read)));
        if (!found)
          return 'These files are not a checkpoint. Choose the .zip of a checkpoint, or both of its .safetensors files.';
        open(found);
        return '';
      }),
    beginAnew: () => {
      controller.apply(withoutCheckpoint(store.getState().config));
      close();
    },
  };
}

async function stored(name: string): Promise<NamedCheckpoint> {
  const files = await storedFiles(name);
  if (!files) throw new Error(`there is no checkpoint "${name}" any more`);
  return { name, files };
}

const download = ({ name, files }: NamedCheckpoint): string => downloadZip(name, zipOf(name, files));

function downloadZip(name: string, zip: Uint8Array<ArrayBuffer>): string {
  saveFile(`${name}.zip`, new Blob([zip], { type: 'application/zip' }));
  return `Downloading ${name}.zip.`;
}
