/**
 * The interface of a mode's face: what the page and the command line say about the mode (words, names, settings),
 * without heavy code. Each mode has a `<mode>/face.ts`; `faces.ts` is the table. These files import only base and
 * protocol (the import walls check this), so that the page can load them before any session.
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
  /** A component of the page, by name. */
  | {
      readonly kind: 'panel';
      readonly panel: 'buckets' | 'moreOfDdp' | 'split' | 'mesh' | 'stages' | 'schedule' | 'sharding' | 'plan';
    };

export interface Face {
  /** The fewest layers with weights that a run needs; absent: any model works. */
  readonly layersWanted?: (config: Config) => number;
  /** Value of the setting `mode`. */
  readonly name: Mode;
  /** Full name, PyTorch's. */
  readonly title: string;
  /** Name inside a sentence. */
  readonly listed: string;
  /** Name on a button. */
  readonly short: string;
  /** Name for narrow places; absent: `short`. */
  readonly tight?: string;
  /** One sentence. */
  readonly about: string;
  /** Introduces the stage to a newcomer: what it shows, and what to watch. */
  seen(devices: number): string;
  /** In links: `mode=dp`. */
  readonly link: string;
  /** Other names for the mode, in lower case without spaces. */
  readonly alsoCalled?: readonly string[];
  /** Sections of the configuration that this mode reads and some other modes do not. */
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
  /** Precisions that its runs support; absent: float32 alone. */
  readonly precisions?: readonly Config['precision'][];
  /** Its runs support a GradScaler. */
  readonly gradScaler?: true;
  /** The run has one device, whatever `worldSize` is. */
  readonly oneDevice?: true;
  /** Each device has its own process, a rank of a process group, even with one device. */
  readonly processPerDevice?: true;
  /**
   * The script is one process, but over torch.distributed.rpc every device of this mode would be a process that can
   * fail by itself. Absent: devices fail with the rank that drives them.
   */
  readonly failsByDevice?: true;
  /** torchrun can start this mode. */
  readonly launchable?: true;
  /** The devices share the rows of a batch. */
  readonly splitsBatch?: true;
  /** Gradients are reduced in buckets, which the page shows in a panel. */
  readonly buckets?: true;
  /** The role of each device in the users' terms; absent: one of several devices that one process drives. */
  role?(device: number, config: Config): DeviceRole;
  /**
   * Axes of the mesh along which its ranks lie, outermost first: with one axis the ranks form a line, with more a grid.
   * Absent: one process drives all devices.
   */
  readonly axes?: readonly Axis[];
  /** The most devices that can have work; absent: any number. */
  mostDevices?(config: Config): number;
  /** Why its weights differ from a single device's; undefined: only the order of sums differs. */
  differenceCause?(config: Config): string | undefined;
}

/** What torch.autocast computes in, and float32. */
export const AUTOCAST: readonly Config['precision'][] = ['float32', 'autocast-bf16', 'autocast-fp16'];

const COUNTS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'] as const;
/** A number as the first word of a sentence. */
export const countWord = (count: number): string => COUNTS[count] ?? `${count}`;

/** The shard and the replica of a rank: ', shard 0 of 2' and ', replica 1', '' for the one that a run has only once. */
export function dataWords(device: number, config: Config): readonly [shard: string, replica: string] {
  const shape = meshSizes(config);
  const place = placeOf(device, shape);
  if (!shardsParameters(config)) return ['', replicasOf(config) > 1 ? `, replica ${dataIndexOf(place, shape)}` : ''];
  const { dpShard, dpReplicate } = place;
  return [`, shard ${dpShard} of ${shape.dpShard}`, shape.dpReplicate > 1 ? `, replica ${dpReplicate}` : ''];
}

/** The cause that all modes with a divided batch share. */
export const NORM_OF_PARTS = 'batch norm takes the statistics of each part of the batch by itself';

/** The role of a device in a mode without special roles. */
export const plainRole = (device: number, { worldSize }: Pick<Config, 'worldSize'>): DeviceRole => ({
  title: `cuda:${device}`,
  beside: worldSize === 1 ? undefined : 'driven by process 0',
  hasRows: true,
  keepsState: true,
});
