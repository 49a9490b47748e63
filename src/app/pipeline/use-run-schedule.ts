/** The schedule of the run that is open, in React; undefined while none is. */
import { useMemo } from 'react';
import type { Config } from '../../protocol/config';
import { meshSizes, ranksOf } from '../../protocol/mesh-sizes';
import { chosenSchedule } from '../../schedules/chosen';
import type { Schedule } from '../../schedules/schedule';
import { useApp } from '../state/use-app';

export interface RunSchedule {
  readonly schedule: Schedule;
  /** The number of parallel pipelines. */
  readonly replicas: number;
  readonly config: Config;
}

export function runSchedule(config: Config): RunSchedule {
  const shape = meshSizes(config);
  const schedule = chosenSchedule(config.pipeline, shape.pp);
  return { schedule, replicas: ranksOf({ ...shape, pp: 1 }), config };
}

export function useRunSchedule(): RunSchedule | undefined {
  const config = useApp((app) => app.info?.config);
  return useMemo(() => config && runSchedule(config), [config]);
}
