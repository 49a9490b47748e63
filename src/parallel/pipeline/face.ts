/** Pipeline: what the page says about it. */
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { meshSizes, placeOf } from '../../protocol/mesh-sizes';
import { MESH, PIPELINE } from '../../protocol/words/parts';
import { countWord, type Face } from '../face';
import { fitted, mostRanks } from './face-fit';

/** torch's names, and what the literature calls some of them. */
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

export const pipeline: Face = {
  name: 'pipeline',
  title: 'Pipeline',
  listed: 'Pipeline',
  short: 'Pipeline',
  about:
    'Stages of the net on different ranks; the batch goes through in micro-batches, so that all ranks work at once',
  seen: (devices) =>
    devices === 1
      ? 'One net in one stage, its batch cut into micro-batches. Watch it learn.'
      : `One net, cut into stages for ${countWord(devices).toLowerCase()} ranks. Watch the batch pass in small pieces, so that all work.`,
  link: 'pipeline',
  alsoCalled: ['pp', 'pipelineparallel', 'gpipe'],
  sections: ['pipeline', 'mesh', 'ddp'],
  controls: [
    { kind: 'choice', setting: PIPELINE.schedule, words: SCHEDULE_WORDS },
    { kind: 'number', setting: PIPELINE.microBatches },
    { kind: 'number', setting: PIPELINE.stagesPerRank },
    { kind: 'number', setting: MESH.dp },
    { kind: 'flag', setting: PIPELINE.scaleGrads },
  ],
  processPerDevice: true,
  launchable: true,
  role: (device, config) => {
    const { pp, dp } = placeOf(device, meshSizes(config));
    const replica = meshSizes(config).dp > 1 ? `, replica ${dp}` : '';
    return { title: `rank ${device}`, beside: `pipeline rank ${pp}${replica}`, hasRows: pp === 0, keepsState: true };
  },
  mostDevices: mostRanks,
  fitted,
  differenceCause,
};

function differenceCause({ model, pipeline: settings, batchSize, mesh }: Config): string | undefined {
  if (batchNorms(model.layers) > 0) return 'batch norm takes the statistics of each micro-batch by itself';
  if (!settings.scaleGrads && settings.microBatches > 1)
    return 'the gradients of the micro-batches are summed, not averaged';
  if (Math.floor(batchSize / mesh.dp) % settings.microBatches > 0)
    return 'micro-batches with fewer rows count as much as the others';
  return undefined;
}
