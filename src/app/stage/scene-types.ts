/**
 * The stage as data: what the scene functions make of (info, trace, cursor, size) and what the painter paints, the
 * pointer hits and the table reads. Types only.
 */
import type { MemoryCategory, Payload, Phase } from '../../protocol/trace';
import type { Path, Point, Rect, Size } from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import type { HitItem } from '../draw/hit-regions';
import type { Tip } from '../draw/tip';
import type { StageLayout } from './layout';
import type { Route } from './routes';

/** Anything that can be pointed at, by pointer or by keyboard. */
export interface SceneItem extends HitItem {
  readonly device: number;
  /** Index of the event that made what is shown. */
  readonly event: number | undefined;
  /** A packet is also the event that receives it. */
  readonly alsoEvent?: number;
  readonly tip: () => Tip;
  /** A press opens the memory of the device as a tree. */
  readonly opensMemory?: boolean;
}

/** The last three: its group stands still. */
export type Activity = 'computing' | 'communicating' | 'idle' | 'done' | 'ahead' | 'late' | 'waiting' | 'ended';

export interface MatrixScene {
  readonly rect: Rect;
  /** undefined: not computed yet. */
  readonly cells: HeatCells | undefined;
  /** Written by the event at the cursor. */
  readonly fresh: boolean;
}

export interface LayerScene {
  readonly labelAt: Rect;
  /** Longest first. */
  readonly labels: readonly string[];
  readonly gradientLabelAt: Rect | undefined;
  readonly note: { readonly at: Rect; readonly texts: readonly string[] } | undefined;
  readonly matrices: readonly MatrixScene[];
  /** The device works on this module now. */
  readonly active: Phase | undefined;
}

export interface StripScene {
  readonly labelAt: Rect;
  readonly labels: readonly string[];
  readonly matrix: MatrixScene;
}

export interface TileScene {
  readonly rect: Rect;
  readonly cells: HeatCells | undefined;
  readonly chunk: number;
  /** Ranks whose values the chunk holds the sum of; 0: nothing in it yet. */
  readonly summed: number;
  readonly caption: readonly string[];
  /** The chunk is on its way out. */
  readonly sending: boolean;
  readonly fresh: boolean;
}

export interface MemorySegment {
  readonly category: MemoryCategory;
  readonly bytes: number;
  readonly rect: Rect;
}

export interface RoomScene {
  readonly device: number;
  readonly rect: Rect;
  readonly header: Rect;
  readonly title: string;
  readonly subtitles: readonly string[];
  readonly activity: Activity;
  readonly phase: Phase | undefined;
  /** Longest first. */
  readonly now: readonly string[];
  readonly layers: readonly LayerScene[];
  /** Which layers are shown, where the room cannot hold all. */
  readonly page: { readonly index: number; readonly count: number } | undefined;
  readonly strip: readonly StripScene[];
  readonly bucket:
    | { readonly labelAt: Rect; readonly labels: readonly string[]; readonly tiles: readonly TileScene[] }
    | undefined;
  readonly memory: {
    readonly bar: Rect;
    readonly labelAt: Rect;
    readonly labels: readonly string[];
    readonly segments: readonly MemorySegment[];
    readonly peakX: number;
  };
}

export interface PacketScene {
  readonly id: string;
  readonly rect: Rect;
  readonly route: Path;
  /** How far along the route, 0..1. */
  readonly progress: number;
  readonly from: number;
  readonly payload: Payload;
  readonly cells: HeatCells | undefined;
  readonly cellsAt: Rect;
  /** undefined where there is no place for words. */
  readonly label: (Point & { readonly text: string; readonly align: 'left' | 'center' | 'right' }) | undefined;
}

export interface StageScene extends Size {
  readonly layout: StageLayout;
  readonly rooms: readonly RoomScene[];
  readonly routes: readonly Route[];
  readonly packets: readonly PacketScene[];
  /** In the order in which they are painted. */
  readonly items: readonly SceneItem[];
}
