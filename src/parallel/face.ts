/**
 * The seam of what the page and the command line say about a mode, without anything heavy: words, names, and what its
 * settings are. `<mode>/face.ts` is each mode's; `faces.ts` is the table. These files import only base and protocol
 * (the import walls hold them to it), so that the page may load them before any session.
 */
import type { Config, Mode } from '../protocol/config';
import type { Axis } from '../protocol/mesh';
import { dataIndexOf, meshSizes, placeOf, replicasOf, shardsParameters } from '../protocol/mesh-sizes';
import type { DeviceRole } from '../protocol/session-info';
import type { Setting } from '../protocol/words/setting';

/** A field or a part of the set-up that belongs to the mode, in the order in which the page shows them. */
export type FaceControl =
  | { readonly kind: 'choice'; readonly setting: Setting; readonly words: Readonly<Record<string, string>> }
  | { readonly kind: 'flag' | 'number' | 'size'; readonly setting: Setting }
  /** A component of the page, by its name there. */
  | {
      readonly kind: 'panel';
      readonly panel: 'buckets' | 'moreOfDdp' | 'split' | 'mesh' | 'stages' | 'schedule' | 'sharding' | 'plan';
    };

export interface Face {
  /** Layers with weights that the run needs at least; absent: any model will do. */
  readonly layersWanted?: (config: Config) => number;
  /** As the setting `mode` has it. */
  readonly name: Mode;
  /** In full, as PyTorch calls it. */
  readonly title: string;
  /** Among other words. */
  readonly listed: string;
  /** On a button. */
  readonly short: string;
  /** Where there is little room; absent: `short`. */
  readonly tight?: string;
  /** One sentence. */
  readonly about: string;
  /** To someone who sees it for the first time: what is on the stage, and what to watch. */
  seen(devices: number): string;
  /** In links: `mode=dp`. */
  readonly link: string;
  /** What else people call it, in small letters without spaces. */
  readonly alsoCalled?: readonly string[];
  /** The parts of the configuration that it reads and some other modes do not. */
  readonly sections?: readonly (
    | 'ddp'
    | 'modelParallel'
    | 'parameterServer'
    | 'mesh'
    | 'pipeline'
    | 'sharded'
    | 'tensor'
  )[];
  readonly controls?: readonly FaceControl[];
  /** What of mixed precision its runs take: all, autocast without a GradScaler, or (absent) nothing. */
  readonly mixedPrecision?: 'all' | 'autocast';
  /** One device, whatever `worldSize` says. */
  readonly oneDevice?: true;
  /** Each device has a process of its own: a rank of a process group, be there only one. */
  readonly processPerDevice?: true;
  /**
   * Its script is one process, but where the mode runs over torch.distributed.rpc every device is a process that can
   * fail by itself. Absent: devices fail with the rank that drives them.
   */
  readonly failsByDevice?: true;
  /** What torchrun starts can run in it. */
  readonly launchable?: true;
  /** The devices share the rows of a batch. */
  readonly splitsBatch?: true;
  /** Gradients are reduced in buckets, which have a view of their own. */
  readonly buckets?: true;
  /** What each device is to the people who use the mode; absent: one of several that one process drives. */
  role?(device: number, config: Config): DeviceRole;
  /**
   * The axes of the mesh along which its ranks lie, outermost first; with one of them the ranks are a line, with more
   * they are a grid. Absent: one process drives all devices, or the mode has no mesh.
   */
  readonly axes?: readonly Axis[];
  /** The most devices that can have something to do; absent: any number. */
  mostDevices?(config: Config): number;
  /** Why its weights are not those of one device; undefined: because of nothing but the order of sums. */
  differenceCause?(config: Config): string | undefined;
}

const COUNTS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'] as const;
/** How many, at the beginning of a sentence. */
export const countWord = (count: number): string => COUNTS[count] ?? `${count}`;

/** Which shard of which replica a rank has: ', shard 0 of 2' and ', replica 1', each '' where there is only one. */
export function dataWords(device: number, config: Config): readonly [shard: string, replica: string] {
  const shape = meshSizes(config);
  const place = placeOf(device, shape);
  if (!shardsParameters(config)) return ['', replicasOf(config) > 1 ? `, replica ${dataIndexOf(place, shape)}` : ''];
  const { dpShard, dpReplicate } = place;
  return [`, shard ${dpShard} of ${shape.dpShard}`, shape.dpReplicate > 1 ? `, replica ${dpReplicate}` : ''];
}

/** The cause that all modes which cut the batch have in common. */
export const NORM_OF_PARTS = 'batch norm takes the statistics of each part of the batch by itself';

/** A device of a mode that has nothing more to say about it. */
export const plainRole = (device: number, { worldSize }: Pick<Config, 'worldSize'>): DeviceRole => ({
  title: `cuda:${device}`,
  beside: worldSize === 1 ? undefined : 'driven by process 0',
  hasRows: true,
  keepsState: true,
});
