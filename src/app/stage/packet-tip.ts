/** The tooltip of a packet. Pure; called by the scene. */

import { bufferWords, isOfTorch, tensorName } from '../../trace/buffer-words';
import type { Packet } from '../../trace/packets';
import { formatSize } from '../draw/format';
import type { Tip } from '../draw/tip';
import { packetLabel } from './arrow-labels';
import type { Transit } from './facts';
import type { PacketScene, SceneItem } from './scene-types';

const WORDS: Readonly<Record<Packet['payload'], string>> = {
  data: 'batch data',
  activation: 'activation',
  gradient: 'gradient',
  parameter: 'parameter',
};

/** 'gradient 4.weight.grad'; if the buffer's name is in our own words, they already contain the payload. */
const carriedTensor = (buffer: string, payload: string): string =>
  isOfTorch(buffer) ? `${payload} ${bufferWords(buffer)}` : bufferWords(buffer);

/** The name of a device on its room. */
type NameOf = (device: number) => string;

function tipOf({ packet, values }: Transit, nameOf: NameOf, end: number): Tip {
  const { source, from, to, apply, payload, bytes, collective, microBatch } = packet;
  const count = values?.length ?? 0;
  const columns = Math.min(count, 8);
  const round = collective?.round === undefined ? '' : `, round ${collective.round + 1} of ${collective.rounds ?? '?'}`;
  return {
    title: packetLabel(packet),
    facts: [
      [
        'carries',
        microBatch === undefined
          ? carriedTensor(source.buffer, WORDS[payload])
          : `${tensorName(source.buffer)}, micro-batch ${microBatch}`,
      ],
      ['way', `${nameOf(from)} to ${nameOf(to)}, ${apply === 'add' ? 'added there' : 'stored there'}`],
      ...(collective ? [['part of', `${collective.part ?? collective.op}${round}`] as const] : []),
      ['elements', `${source.offset} to ${source.offset + source.length - 1}`],
      ['size', formatSize(bytes)],
    ],
    ...(values && count > 0
      ? { cells: { values, offset: 0, stride: columns, columns, rows: Math.ceil(count / columns), count, end } }
      : {}),
  };
}

export const transitItem = (transit: Transit, scene: PacketScene, nameOf: NameOf): SceneItem => ({
  id: scene.id,
  rect: scene.rect,
  device: transit.packet.from,
  event: transit.packet.send,
  alsoEvent: transit.packet.recv,
  tip: () => tipOf(transit, nameOf, scene.cells?.end ?? 1),
});
