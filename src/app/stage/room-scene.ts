/**
 * One room as data: which words, cells and bars stand in it at the cursor, and what each of them says when pointed at.
 * Pure.
 */

import type { Rect } from '../draw/geometry';
import type { LayerPlace, ParameterPlace } from './devices';
import type { LayerLayout, PairLayout } from './layer-layout';
import { matrixScene } from './matrix-scene';
import type { MatrixWindow } from './matrix-window';
import { memoryScene } from './memory-scene';
import type { RoomInput } from './room-input';
import type { RoomLayout } from './room-layout';
import type { LayerScene, RoomScene, SceneItem } from './scene-types';
import { tileScenes } from './tile-scene';

type Made = ReturnType<typeof matrixScene>;

function pair(
  input: RoomInput,
  layer: LayerPlace,
  at: PairLayout,
  window: MatrixWindow,
  kind: 'parameter' | 'gradient',
): readonly Made[] {
  const made = (p: ParameterPlace | undefined, rect: Rect | undefined, shown: MatrixWindow): readonly Made[] => {
    const buffer = kind === 'gradient' ? p?.gradient : p?.name;
    return p && rect && buffer !== undefined
      ? [matrixScene(input, { kind, buffer, shape: p.shape, rect, window: shown })]
      : [];
  };
  const { bias } = layer;
  return [...made(layer.weight, at.weight, window), ...made(bias, at.bias, columnWindow(window, bias?.shape ?? []))];
}

/** A bias beside the rows of its weight that are shown. */
function columnWindow({ rows }: MatrixWindow, shape: readonly number[]): MatrixWindow {
  const whole = shape[0] ?? rows;
  const shown = Math.min(rows, whole);
  return { rows: shown, columns: 1, stride: 1, unit: 1, label: shown < whole ? `first ${shown} of ${whole}` : '' };
}

/** 'first 144 values of 256×784', and what is left of it where that is too long. */
const shorter = (label: string): readonly string[] => [
  label,
  label.replace(' values', ''),
  label.replace(/ of .*/, ''),
];

function layerScene(
  input: RoomInput,
  layer: LayerPlace,
  layout: LayerLayout,
): { readonly scene: LayerScene; readonly items: readonly SceneItem[] } {
  const now = input.facts.now(input.place.device);
  const parts = [
    ...pair(input, layer, layout.values, layout.window, 'parameter'),
    ...(layout.gradients ? pair(input, layer, layout.gradients, layout.window, 'gradient') : []),
  ];
  const busy = now.activity === 'computing' && now.module !== '' && within(now.module, layer.module);
  return {
    scene: {
      labelAt: layout.label,
      labels: layer.labels,
      gradientLabelAt: layout.gradientLabel,
      note: layout.note && { at: layout.note, texts: shorter(layout.window.label) },
      matrices: parts.map((p) => p.matrix),
      active: busy ? now.phase : undefined,
    },
    items: parts.map((p) => p.item),
  };
}

const within = (module: string, path: string): boolean => module === path || module.startsWith(`${path}.`);

/**
 * The page with the module that the device works on; one without weights (an activation, a block's attention) belongs
 * to the nearest before it.
 */
function pageOf(places: readonly LayerPlace[], layout: RoomLayout, module: string): number {
  if (layout.pages < 2 || module === '') return 0;
  const exact = places.findIndex((place) => within(module, place.module));
  const inside = exact >= 0 ? exact : places.findIndex((place) => within(place.module, module));
  const before = inside >= 0 ? inside : places.findLastIndex((place) => comesBefore(place.module, module));
  return layout.layers[Math.max(0, before)]?.page ?? 0;
}

/** '3' before '10', 'blocks.0.fc1' before 'blocks.0.gelu'. */
const comesBefore = (a: string, b: string): boolean => a.localeCompare(b, 'en', { numeric: true }) <= 0;

export function roomScene(input: RoomInput): { readonly scene: RoomScene; readonly items: readonly SceneItem[] } {
  const { place, rect, layout, facts } = input;
  const now = facts.now(place.device);
  const page = pageOf(place.layers, layout, now.module === '' ? facts.lastModule(place.device) : now.module);
  const layers = place.layers.flatMap((layer, i) => {
    const at = layout.layers[i];
    return at?.page === page ? [layerScene(input, layer, at)] : [];
  });
  const strip = place.activations.flatMap((a, i) => {
    const at = layout.strip[i];
    if (!at) return [];
    const kind = a.buffer === 'x' ? 'batch' : 'activation';
    const { matrix, item } = matrixScene(input, {
      kind,
      buffer: a.buffer,
      shape: a.shape,
      rect: at.map,
      window: at.window,
    });
    return [{ scene: { labelAt: at.label, labels: a.labels, matrix }, item }];
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
        ...(layout.pages > 1
          ? [
              [
                'layers',
                `page ${page + 1} of ${layout.pages}: the room turns to the layers that the device works on`,
              ] as const,
            ]
          : []),
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
      page: layout.pages > 1 ? { index: page, count: layout.pages } : undefined,
      phase: now.phase,
      now: now.words,
      layers: layers.map((l) => l.scene),
      strip: strip.map((m) => m.scene),
      bucket: bucket?.scene,
      memory: memory.scene,
    },
    items: [
      head,
      ...layers.flatMap((l) => l.items),
      ...strip.map((m) => m.item),
      ...(bucket?.items ?? []),
      ...memory.items,
    ],
  };
}
