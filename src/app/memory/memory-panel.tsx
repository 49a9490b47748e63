/**
 * The memory of each device as a tree of tensors, beside the result. The closed panel shows the reserved bytes;
 * pressing a memory bar on the stage opens it at that device. The tree is loaded when it is opened.
 */
import { useEffect, useRef } from 'react';
import { useLinked } from '../address/use-linked';
import { loadedPanel } from '../boundary/loaded-panel';
import { formatSize } from '../draw/format';
import { useApp, useAppStore } from '../state/use-app';
import styles from './memory.module.css';
import { useCheckpointSaving } from './use-checkpoint-saving';

const MemoryTable = loadedPanel('The memory tree', async () => (await import('./memory-table')).MemoryTable);

export function MemoryPanel() {
  const memory = useApp((app) => app.info?.memory);
  const shown = useApp((app) => app.memoryOf);
  const store = useAppStore();
  const saving = useCheckpointSaving();
  const details = useRef<HTMLDetailsElement>(null);
  useLinked('memory', {
    read: () => shown?.toString(),
    show: (text) => store.getState().showMemory(Math.min(Number(text), (memory?.length ?? 1) - 1)),
  });
  useEffect(() => {
    if (shown !== undefined) details.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  if (!memory || memory.length === 0) return null;
  const most = Math.max(...memory.map(({ peakBytes }) => peakBytes));
  const onHost = Math.max(...memory.map(({ hostBytes = 0 }) => hostBytes));
  return (
    <details
      ref={details}
      className={styles['panel']}
      open={shown !== undefined}
      onToggle={(event) => {
        const { open } = event.currentTarget;
        if (open !== (store.getState().memoryOf !== undefined)) store.getState().showMemory(open ? 0 : undefined);
      }}
    >
      <summary>
        Memory, tensor by tensor{' '}
        <span>
          {formatSize(most)} reserved{onHost > 0 && `, ${formatSize(onHost)} on the host`}
        </span>
      </summary>
      {saving && <p className={styles['note']}>{saving}</p>}
      {shown !== undefined && <MemoryTable memory={memory} device={shown} />}
    </details>
  );
}
