/** The settings of a pipeline's schedule. Fetched when a pipeline mode is chosen. */
import type { Config } from '../../../protocol/config';
import { PIPELINE } from '../../../protocol/words/pipeline';
import { ChoiceSetting, FlagSetting, NumberSetting } from '../../fields/settings';

/** torch's names of schedules, with the names in the literature for some. */
const SCHEDULE_WORDS: Readonly<Record<Config['pipeline']['schedule'], string>> = {
  GPipe: 'GPipe',
  '1F1B': '1F1B',
  LoopedBFS: 'Looped BFS',
  Interleaved1F1B: 'Interleaved 1F1B',
  InterleavedZeroBubble: 'Zero bubble (ZB1P)',
  ZBVZeroBubble: 'Zero bubble V (ZBV)',
  DualPipeV: 'DualPipeV',
  own: 'Your own',
};

export function ScheduleFields() {
  return (
    <>
      <ChoiceSetting {...PIPELINE.schedule} words={SCHEDULE_WORDS} />
      <NumberSetting {...PIPELINE.microBatches} />
      <NumberSetting {...PIPELINE.stagesPerRank} />
      <FlagSetting {...PIPELINE.scaleGrads} />
    </>
  );
}
