/**
 * One room as data: which words, cells and bars stand in it at the cursor, and what each of them says when pointed at. Pure.
 */

import type { SessionInfo } from '../../protocol/session';
import type { Rect } from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import { formatBytes } from '../draw/numbers';
import type { BucketPlace, DevicePlace, LayerPlace, ParameterPlace } from './devices';
import type { StageFacts } from './facts';
import { memoryScene } from './memory-scene';
import type { LayerLayout, PairLayout, RoomLayout } from './room-layout';
import type { LayerScene, MatrixScene, RoomScene, SceneItem } from './scene-types';
import { tileScenes } from './tile-scene';

export interface RoomInput {
  readonly info: SessionInfo;
  readonly place: DevicePlace;
  readonly rect: Rect;
  readonly layout: RoomLayout;
  readonly bucket: BucketPlace | undefined;
  readonly buckets: number;
  readonly facts: StageFacts;
  /** Bytes that the full width of a memory bar stands for; the same in every room. */
  readonly memoryScale: number;
}

interface Part {
  readonly parameter: ParameterPlace;
  readonly buffer: string;
  readonly what: string;
  readonly rect: Rect;
  readonly window: { readonly rows: number; readonly columns: number; readonly stride: number; readonly label: string };
}

/** A matrix of a parameter or of its gradient, with what it says. */
function part({ place, facts }: RoomInput, p: Part): { readonly matrix: MatrixScene; readonly item: SceneItem } {
  const { device } = place;
  const content = facts.content(device, p.buffer);
  const { rows, columns, stride } = p.window;
  const cells: HeatCells | undefined = content && { values: content.values, offset: 0, stride, rows, columns };
  const shape = p.parameter.shape.join('×');
  const bytes = 4 * p.parameter.shape.reduce((n, d) => n * d, 1);
  return {
    matrix: {
      rect: p.rect,
      cells,
      rows,
      columns,
      fresh: content?.event !== undefined && content.event === facts.event,
    },
    item: {
      id: `${device} ${p.buffer}`,
      rect: p.rect,
      device,
      event: content?.event,
      tip: () => ({
        title: `${p.buffer} on cuda:${device}`,
        facts: [
          ['what', p.what],
          ['shape', shape],
          ['size', formatBytes(bytes)],
          ...(cells ? [] : [['values', 'not computed yet in this step'] as const]),
        ],
        ...(cells ? { cells } : {}),
        ...(p.window.label ? { note: p.window.label } : {}),
      }),
    },
  };
}

function pair(input: RoomInput, layer: LayerPlace, layout: LayerLayout, at: PairLayout, gradients: boolean) {
  const bufferOf = (p: ParameterPlace) => (gradients ? p.gradient : p.name);
  const parts: ReturnType<typeof part>[] = [];
  const weight = bufferOf(layer.weight);
  const what = gradients ? 'gradient' : 'parameter';
  if (weight !== undefined) {
    parts.push(part(input, { parameter: layer.weight, buffer: weight, what, rect: at.weight, window: layout.window }));
  }
  const bias = layer.bias && bufferOf(layer.bias);
  if (layer.bias && bias !== undefined && at.bias) {
    const window = {
      rows: layout.window.rows,
      columns: 1,
      stride: 1,
      label: layout.window.label && `first ${layout.window.rows} of ${layer.bias.shape.join('×')}`,
    };
    parts.push(part(input, { parameter: layer.bias, buffer: bias, what, rect: at.bias, window }));
  }
  return parts;
}

function layerScene(
  input: RoomInput,
  layer: LayerPlace,
  layout: LayerLayout,
): { readonly scene: LayerScene; readonly items: readonly SceneItem[] } {
  const now = input.facts.now(input.place.device);
  const parts = [
    ...pair(input, layer, layout, layout.values, false),
    ...(layout.gradients ? pair(input, layer, layout, layout.gradients, true) : []),
  ];
  const busy = now.activity === 'computing' && now.module === layer.module;
  return {
    scene: {
      labelAt: layout.label,
      labels: layer.labels,
      gradientLabelAt: layout.gradientLabel,
      note: layout.note && { at: layout.note, text: layout.window.label },
      matrices: parts.map((p) => p.matrix),
      active: busy ? now.phase : undefined,
    },
    items: parts.map((p) => p.item),
  };
}

export function roomScene(input: RoomInput): { readonly scene: RoomScene; readonly items: readonly SceneItem[] } {
  const { place, rect, layout, facts } = input;
  const now = facts.now(place.device);
  const layers = place.layers.flatMap((layer, i) => {
    const at = layout.layers[i];
    return at ? [layerScene(input, layer, at)] : [];
  });
  const bucket = input.bucket && layout.bucket ? tileScenes(input, input.bucket, layout.bucket) : undefined;
  const memory = memoryScene(place.device, facts.memory(place.device), layout.memory, input.memoryScale);
  const head: SceneItem = {
    id: `${place.device} device`,
    rect: layout.header,
    device: place.device,
    event: now.event,
    tip: () => ({
      title: `${place.title} now`,
      facts: [
        ['doing', now.words[0] ?? ''],
        ['samples', place.samples.length === 0 ? 'none of its own' : place.samples.join(', ')],
      ],
    }),
  };
  return {
    scene: {
      device: place.device,
      rect,
      header: layout.header,
      title: place.title,
      subtitles: place.subtitles,
      activity: now.activity,
      phase: now.phase,
      now: now.words,
      layers: layers.map((l) => l.scene),
      bucket: bucket?.scene,
      memory: memory.scene,
    },
    items: [head, ...layers.flatMap((l) => l.items), ...(bucket?.items ?? []), ...memory.items],
  };
}
