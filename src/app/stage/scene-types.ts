/**
 * The stage as data: what the scene functions make of (info, trace, cursor, size) and what the painter paints, the
 * pointer hits and the table reads. Types only.
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
  /** The one that was sent when it was chosen. */
  readonly instead: number;
}

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
  /** A press shows the chunks of that bucket. */
  readonly showsTab?: ChosenTab;
  /** A press shows the room of that device large. */
  readonly opensRoom?: number;
  /** A press shows all rooms again. */
  readonly closesRoom?: true;
}

/** The last three: its group stands still. */
export type Activity = 'computing' | 'communicating' | 'idle' | 'done' | 'ahead' | 'late' | 'waiting' | 'ended';

export interface AwaitedCells {
  readonly rows: number;
  readonly columns: number;
  /** In reading order; of all: absent. */
  readonly count?: number;
  /** What they wait for, longest first. */
  readonly words: readonly string[];
}

/** Values as cells, printed where the cells are large enough. */
export interface MapScene {
  readonly rect: Rect;
  /** undefined: not computed yet. */
  readonly cells: HeatCells | undefined;
  /** The cells that it will have, where there are none yet. */
  readonly awaited?: AwaitedCells;
  /** Made by the moment at the cursor. */
  readonly fresh: boolean;
  /** It is being computed. */
  readonly under: boolean;
  /** Printed in units of that power of ten; undefined: not printed. */
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
  /** The devices whose values are in it. */
  readonly ranks: RankSet;
  /** How much of what it will hold is in it, from 0 to 1: of a sum, the part of the ranks that are added up. */
  readonly part: number;
  readonly sends: boolean;
  /** What arrives in this moment; `adds`: it is added, else put in place. */
  readonly arrival: ChunkArrival | undefined;
  /** What it is, and what is in it; each longest first. */
  readonly name: readonly string[];
  readonly holds: readonly string[];
}

export interface ChunksScene {
  readonly kind: ChunksLayout['kind'];
  readonly bucket: number | undefined;
  /** Places in the bars. */
  readonly ranks: number;
  readonly chunks: readonly ChunkScene[];
}

/** The buckets of the step, one box for each. */
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
  /** undefined where there is no room for values. */
  readonly map: MapScene | undefined;
  readonly now: boolean;
  /** No longer kept: its backward has used it. */
  readonly gone: boolean;
}

export interface StageScenePart {
  /** One for each backward of the step; those that are summed up. */
  readonly sums: readonly { readonly rect: Rect; readonly done: boolean }[];
  readonly kept: readonly KeptTile[];
  /** Places of micro-batches that could be kept, too. */
  readonly free: readonly Rect[];
  /** One bar for each micro-batch, as high as its loss; undefined: not computed. */
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
  /** Longest first. */
  readonly now: readonly string[];
  /** What it computes, where the matrices have no labels. */
  readonly formula?: string;
  readonly strip: readonly MapScene[];
  readonly maps: readonly MapScene[];
  readonly words: readonly WordsScene[];
  readonly signs: readonly SignScene[];
  /** Of the picture of an operator, below and above its maps. */
  readonly under: readonly ShapeScene[];
  readonly over: readonly ShapeScene[];
  /** The layer at work, among all of them. */
  readonly focus: Rect | undefined;
  readonly tabs: TabsScene | undefined;
  /** Of a pipeline's rank: what it has of the micro-batches. */
  readonly stage?: StageScenePart;
  /** Large, or small below the layers. */
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
  /** What its chunks hold, in words: for the table. */
  readonly held: () => readonly string[];
}

/** Colours of the theme that the pictures of operators draw with: text, grounds, and one hue per kind of value. */
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

/** Centred. */
export interface ArrowLabel extends Point {
  readonly text: string;
  readonly width: number;
}

/** A transfer of the moment at the cursor, whether it is under way or done. */
export interface ArrowScene {
  readonly path: Path;
  readonly from: number;
  /** undefined where there is no place for words. */
  readonly label: ArrowLabel | undefined;
}

export interface PacketScene {
  readonly id: string;
  readonly rect: Rect;
  readonly from: number;
  readonly cells: HeatCells | undefined;
  readonly cellsAt: Rect;
}

/** Between two rooms: how far their replicas are apart. */
export interface ApartScene {
  readonly text: string;
  readonly rect: Rect;
  /** Bit for bit. */
  readonly equal: boolean;
}

/** A room shown large over all others, and where it is closed. */
export interface OpenedRoom {
  readonly room: RoomScene;
  readonly close: Rect;
  /** To the rooms of the ranks before and after. */
  readonly turns: readonly { readonly rect: Rect; readonly text: string }[];
  readonly items: readonly SceneItem[];
}

export interface StageScene extends Size {
  readonly layout: StageLayout;
  /** Behind the rooms: around those that compute a layer together. */
  readonly groups: readonly Rect[];
  readonly rooms: readonly RoomScene[];
  readonly arrows: readonly ArrowScene[];
  readonly apart: readonly ApartScene[];
  readonly packets: readonly PacketScene[];
  readonly opened?: OpenedRoom;
  /** In the order in which they are painted; of an opened room alone, where there is one. */
  readonly items: readonly SceneItem[];
}
