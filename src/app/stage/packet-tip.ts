/** What a packet says when pointed at. Pure; called by the scene. */
import { formatBytes } from '../draw/numbers';
import type { Flight } from './facts';
import { packetLabel } from './packet-scene';
import type { PacketScene, SceneItem } from './scene-types';

const WORDS: Readonly<Record<Flight['payload'], string>> = {
  data: 'batch data',
  activation: 'activation',
  gradient: 'gradient',
  parameter: 'parameter',
};

export function flightItem(flight: Flight, scene: PacketScene): SceneItem {
  const { slice, values } = flight;
  const count = values ? Math.min(slice.length, values.length - flight.offset) : 0;
  const columns = Math.min(count, 8);
  return {
    id: scene.id,
    rect: scene.rect,
    device: flight.from,
    event: flight.send,
    tip: () => ({
      title: packetLabel(flight),
      facts: [
        ['carries', `${WORDS[flight.payload]} ${slice.buffer}`],
        [
          'way',
          `cuda:${flight.from} to cuda:${flight.to}, ${flight.apply === 'add' ? 'added there' : 'put in place there'}`,
        ],
        ['elements', `${slice.offset} to ${slice.offset + slice.length - 1}`],
        ['size', formatBytes(flight.bytes)],
      ],
      ...(values && count > 0
        ? {
            cells: { values, offset: flight.offset, stride: columns, columns, rows: Math.ceil(count / columns), count },
          }
        : {}),
    }),
  };
}
