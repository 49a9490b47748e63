/** The parts of a schedule's picture besides its cells: the titles of its rows, the shades of its stages. */
import { useMemo } from 'react';
import type { Schedule } from '../../schedules/schedule';
import { usePalette } from '../draw/canvas-context';
import type { PictureParts } from './paint-picture';
import type { Picture } from './picture';
import { chunksOf, titlesOf } from './row-titles';

/** `replicas`: the number of parallel pipelines. `mostKept`: the most activations that any row keeps. */
export function usePictureParts(
  picture: Picture,
  schedule: Schedule,
  { replicas, mostKept }: { readonly replicas: number; readonly mostKept: number },
): PictureParts {
  const palette = usePalette();
  const titles = useMemo(() => titlesOf(schedule, replicas, palette), [schedule, replicas, palette]);
  const chunks = useMemo(() => chunksOf(schedule), [schedule]);
  return useMemo(() => ({ picture, titles, mostKept, chunks }), [picture, titles, mostKept, chunks]);
}
