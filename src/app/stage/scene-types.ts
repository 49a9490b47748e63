/**
 * The stage as data: the scene functions compute it from (info, trace, cursor, size); the painter, the pointer and the
 * table read it. Types only.
 */
import type { MemoryCategory, Phase } from '../../protocol/trace';
import type { Path, Point, Rect, Size } from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import type { HitItem } from '../draw/hit-regions';
import type { Tip } from '../draw/tip';
import type { ChunkLayout, ChunksLayout } from './chunk-places';
import type { ChunkArrival, RankSet } from './exchanges';
import type { StageLayout } from './layout';
import type { RoomFrame } from './room-layout';

/** The bucket that the reader wants to see. */
export interface ChosenTab {
  readonly bucket: number;
  /** The bucket that was being sent when the reader chose the tab. */
  readonly instead: number;
}

/** A part of the stage that the reader can point at, by pointer or by keyboard. */
export interface SceneItem extends HitItem {
  readonly device: number;
  /** Index of the event that made the shown values. */
  readonly event: number | undefined;
  /** For a packet: the event that receives it. */
  readonly alsoEvent?: number;
  readonly tip: () => Tip;
  /** A press opens the device's memory as a tree. */
  readonly opensMemory?: boolean;
  /** A press shows the chunks of this bucket. */
  readonly showsTab?: ChosenTab;
  /** A press shows this device's room large. */
  readonly opensRoom?: number;
  /** A press shows all rooms again. */
  readonly closesRoom?: true;
}

/** The last three are for a standstill of the device's group. */
export type Activity = 'computing' | 'communicating' | 'idle' | 'done' | 'ahead' | 'late' | 'waiting' | 'ended';

export interface AwaitedCells {
  readonly rows: number;
  readonly columns: number;
  /** The number of cells, in reading order; absent: all. */
  readonly count?: number;
  /** Words for what the cells wait for, longest first. */
  readonly words: readonly string[];
}

/** Values as cells, printed where the cells are large enough. */
export interface MapScene {
  readonly rect: Rect;
  /** undefined: not computed yet. */
  readonly cells: HeatCells | undefined;
  /** The cells to come, if none are computed yet. */
  readonly awaited?: AwaitedCells;
  /** Whether the moment at the cursor made the values. */
  readonly fresh: boolean;
  /** Whether the values are being computed. */
  readonly under: boolean;
  /** Values are printed in units of this power of ten; undefined: not printed. */
  readonly unit: number | undefined;
}

export interface WordsScene {
  readonly at: Rect;
  /** Longest first. */
  readonly texts: readonly string[];
  readonly tone: 'soft' | 'ink' | 'accent';
  readonly align: 'left' | 'center' | 'right';
}

export interface SignScene extends Point {
  readonly text: string;
}

export interface ChunkScene {
  readonly at: ChunkLayout;
  readonly map: MapScene;
  readonly index: number;
  /** The devices whose values are in the chunk. */
  readonly ranks: RankSet;
  /** How complete the chunk is, from 0 to 1: for a sum, the share of the ranks added so far. */
  readonly part: number;
  readonly sends: boolean;
  /** The values that arrive in this moment; `adds`: they are added, else stored. */
  readonly arrival: ChunkArrival | undefined;
  /** The chunk's name, and its content in words; each longest first. */
  readonly name: readonly string[];
  readonly holds: readonly string[];
}

export interface ChunksScene {
  readonly kind: ChunksLayout['kind'];
  readonly bucket: number | undefined;
  /** The number of places in the bars. */
  readonly ranks: number;
  readonly chunks: readonly ChunkScene[];
}

/** The tabs of the step's buckets, one box each. */
export interface TabsScene {
  readonly at: Rect;
  readonly count: number;
  readonly shown: number;
  readonly boxes: readonly { readonly rect: Rect; readonly index: number }[];
}

export interface MemorySegment {
  readonly category: MemoryCategory;
  readonly bytes: number;
  readonly rect: Rect;
}

/** A micro-batch whose activations are kept. */
export interface KeptTile {
  readonly rect: Rect;
  readonly text: string;
  /** undefined if there is no room for values. */
  readonly map: MapScene | undefined;
  readonly now: boolean;
  /** No longer kept: backward has used the activations. */
  readonly gone: boolean;
}

export interface StageScenePart {
  /** One box per backward of the step; `done`: its gradients are summed. */
  readonly sums: readonly { readonly rect: Rect; readonly done: boolean }[];
  readonly kept: readonly KeptTile[];
  /** The free places, for further micro-batches that the rank could keep. */
  readonly free: readonly Rect[];
  /** One bar per micro-batch, as high as its loss; undefined: not computed yet. */
  readonly losses: readonly { readonly rect: Rect; readonly bar: Rect | undefined }[];
}

export interface RoomScene {
  readonly device: number;
  readonly rect: Rect;
  readonly frame: RoomFrame;
  readonly title: string;
  readonly subtitles: readonly string[];
  readonly activity: Activity;
  readonly phase: Phase | undefined;
  /** Words for the device's work, longest first. */
  readonly now: readonly string[];
  /** The product as a formula, if the matrices have no labels. */
  readonly formula?: string;
  readonly strip: readonly MapScene[];
  readonly maps: readonly MapScene[];
  readonly words: readonly WordsScene[];
  readonly signs: readonly SignScene[];
  /** Shapes of an operator's picture, below and above its maps. */
  readonly under: readonly ShapeScene[];
  readonly over: readonly ShapeScene[];
  /** The frame around the computing layer among all layers. */
  readonly focus: Rect | undefined;
  readonly tabs: TabsScene | undefined;
  /** For a pipeline rank: its micro-batches. */
  readonly stage?: StageScenePart;
  /** The chunks, large or small below the layers. */
  readonly chunks: ChunksScene | undefined;
  readonly memory:
    | {
        readonly bar: Rect;
        readonly labelAt: Rect | undefined;
        readonly segments: readonly MemorySegment[];
        readonly peakX: number;
      }
    | undefined;
  readonly memoryWords: readonly string[];
  /** What the device's chunks hold, in words, for the table. */
  readonly held: () => readonly string[];
}

/** The theme's colours for pictures of operators: text, backgrounds, and one hue per kind of value. */
export type SceneTone =
  | 'ink'
  | 'soft'
  | 'line'
  | 'track'
  | 'card'
  | 'accent'
  | 'positive'
  | 'negative'
  | 'data'
  | 'activation'
  | 'gradient'
  | 'parameter'
  | 'loss';

/** One stroke or surface of an operator's picture. */
export type ShapeScene =
  | {
      readonly shape: 'line';
      readonly path: Path;
      readonly tone: SceneTone;
      readonly width: number;
      readonly dash?: readonly number[];
      readonly alpha?: number;
    }
  | { readonly shape: 'area'; readonly path: Path; readonly tone: SceneTone; readonly alpha: number }
  | {
      readonly shape: 'box';
      readonly rect: Rect;
      readonly fill?: SceneTone;
      readonly stroke?: SceneTone;
      readonly lineWidth?: number;
      readonly dash?: readonly number[];
      readonly alpha?: number;
      readonly radius?: number;
    }
  | {
      readonly shape: 'dots';
      readonly points: Path;
      readonly radius: number;
      readonly tone: SceneTone;
      readonly alpha: number;
    };

/** A label whose text is centred at the point. */
export interface ArrowLabel extends Point {
  readonly text: string;
  readonly width: number;
}

/** A transfer of the moment at the cursor, whether it is under way or done. */
export interface ArrowScene {
  readonly path: Path;
  readonly from: number;
  /** undefined if there is no place for words. */
  readonly label: ArrowLabel | undefined;
}

export interface PacketScene {
  readonly id: string;
  readonly rect: Rect;
  readonly from: number;
  readonly cells: HeatCells | undefined;
  readonly cellsAt: Rect;
}

/** The words between two rooms: by how much their replicas differ. */
export interface ApartScene {
  readonly text: string;
  readonly rect: Rect;
  /** Whether the replicas are equal bit for bit. */
  readonly equal: boolean;
}

/** A room shown large over all others, with its closing button. */
export interface OpenedRoom {
  readonly room: RoomScene;
  readonly close: Rect;
  /** The buttons to the previous and the next rank's room. */
  readonly turns: readonly { readonly rect: Rect; readonly text: string }[];
  readonly items: readonly SceneItem[];
}

export interface StageScene extends Size {
  readonly layout: StageLayout;
  /** Frames behind the rooms, around rooms whose ranks compute a layer together. */
  readonly groups: readonly Rect[];
  readonly rooms: readonly RoomScene[];
  readonly arrows: readonly ArrowScene[];
  readonly apart: readonly ApartScene[];
  readonly packets: readonly PacketScene[];
  readonly opened?: OpenedRoom;
  /** The items in the order of painting; if a room is opened, only its items. */
  readonly items: readonly SceneItem[];
}
