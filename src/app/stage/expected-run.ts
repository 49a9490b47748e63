/**
 * What the stage can draw before the session has answered: the devices' names, and each device's parameters as far as
 * they follow from the configuration. For a model that is split among the devices only the devices follow. Pure; called
 * for the first picture.
 */

import { plainRole } from '../../parallel/face';
import { FACES } from '../../parallel/faces';
import type { Config, LayerConfig } from '../../protocol/config';
import type { DatasetPreview, SessionInfo } from '../../protocol/session-info';
import { childrenOf, parametersOf } from '../../shapes/parameters';

/** The part of a session's answer that describes the content of the rooms. */
export interface RunShape extends Pick<SessionInfo, 'config' | 'worldSize' | 'roles'> {
  readonly buffers: readonly Pick<SessionInfo['buffers'][number], 'device' | 'name' | 'shape' | 'category'>[];
  readonly dataset: Pick<DatasetPreview, 'kind'>;
}

interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const inLayer = (path: string, layer: LayerConfig): readonly Parameter[] => [
  ...parametersOf(layer).map(({ name, shape }) => ({ name: join(path, name), shape })),
  ...childrenOf(layer).flatMap(([name, child]) => inLayer(join(path, name), child)),
];

export function expectedRun(config: Config): RunShape {
  const face = FACES[config.mode];
  const worldSize = face.oneDevice ? 1 : config.worldSize;
  const whole = face.oneDevice || face.splitsBatch;
  const parameters = whole ? config.model.layers.flatMap((layer, i) => inLayer(layer.name ?? `${i}`, layer)) : [];
  const devices = Array.from({ length: worldSize }, (_, device) => device);
  return {
    config,
    worldSize,
    roles: devices.map((device) => (face.role ?? plainRole)(device, { ...config, worldSize })),
    buffers: devices.flatMap((device) =>
      parameters.map(({ name, shape }) => ({ device, name, shape, category: 'parameter' as const })),
    ),
    dataset: { kind: 'points' },
  };
}
