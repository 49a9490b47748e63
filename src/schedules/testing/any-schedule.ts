/** fast-check arbitraries over the schedules that have a name: every size that torch knows, up to 6 ranks. */
import * as fc from 'fast-check';
import { SCHEDULE_NAMES } from '../../protocol/pipeline';
import { type ScheduleSize, stagesPerRankOf } from '../schedule';
import { isSize } from '../size-rules';

export const isMade = (size: ScheduleSize): boolean => isSize(size.name, size);

export const schedulesOfAnySize: fc.Arbitrary<ScheduleSize> = fc
  .record({
    name: fc.constantFrom(...SCHEDULE_NAMES),
    ranks: fc.integer({ min: 1, max: 6 }),
    stagesPerRank: fc.integer({ min: 1, max: 3 }),
    microBatches: fc.integer({ min: 1, max: 14 }),
  })
  .map((size) => ({ ...size, stagesPerRank: stagesPerRankOf(size.name, size.stagesPerRank) }))
  .filter(isMade);
