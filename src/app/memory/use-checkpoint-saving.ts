/**
 * The memory that activation checkpointing saves: the activations of the open run beside those of the same run without
 * it (or with it), once both have been planned during this visit. The numbers come only from plans; nothing is
 * estimated.
 */
import { useEffect, useState } from 'react';
import type { Config } from '../../protocol/config';
import type { SessionInfo } from '../../protocol/session-info';
import { formatSize } from '../draw/format';
import { useApp } from '../state/use-app';

interface Planned {
  readonly key: string;
  readonly segments: number | undefined;
  readonly activations: number;
  readonly peak: number;
}

const keyOf = ({ checkpointSegments: _, ...config }: Config): string => JSON.stringify(config);

function plannedIn({ config, memory }: SessionInfo): Planned {
  return {
    key: keyOf(config),
    segments: config.checkpointSegments,
    activations: Math.max(0, ...memory.map(({ byCategory }) => byCategory.activation)),
    peak: Math.max(0, ...memory.map(({ peakBytes }) => peakBytes)),
  };
}

const KEPT = 16;

export function useCheckpointSaving(): string | undefined {
  const info = useApp((app) => app.info);
  const [plans, setPlans] = useState<readonly Planned[]>([]);
  useEffect(() => {
    if (!info) return;
    const own = plannedIn(info);
    setPlans((old) => [own, ...old.filter((p) => p.key !== own.key || p.segments !== own.segments)].slice(0, KEPT));
  }, [info]);
  const now = plans[0];
  if (!now) return undefined;
  const others = plans.slice(1).filter((p) => p.key === now.key);
  const other = now.segments === undefined ? others[0] : others.find((p) => p.segments === undefined);
  const words = ({ segments }: Planned) =>
    segments === undefined ? 'without checkpointing' : `with ${segments} segments`;
  const sizes = ({ activations, peak }: Planned) =>
    `activations ${formatSize(activations)}, ${formatSize(peak)} reserved`;
  if (other) return `${capital(words(now))}: ${sizes(now)}; ${words(other)}: ${sizes(other)}.`;
  return now.segments === undefined ? undefined : `${capital(words(now))}: ${sizes(now)}.`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
