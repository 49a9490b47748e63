/**
 * The seam of what the page and the command line say about a mode, without anything heavy: words, names, and what its
 * settings are. `<mode>/face.ts` is each mode's; `faces.ts` is the table. These files import only base and protocol
 * (the import walls hold them to it), so that the page may load them before any session.
 */
import type { Config, Mode } from '../protocol/config';

/** A setting of the mode, in the order in which the page shows them. */
export type Control =
  | {
      readonly kind: 'choice';
      readonly label: string;
      readonly path: string;
      readonly words: Readonly<Record<string, string>>;
      readonly title?: string;
    }
  | { readonly kind: 'flag' | 'number'; readonly label: string; readonly path: string; readonly title?: string }
  /** Bytes, as "1 KiB" or "default". */
  | { readonly kind: 'size'; readonly label: string; readonly path: string; readonly title?: string }
  /** A component of the page, by its name there. */
  | { readonly kind: 'panel'; readonly panel: 'buckets' | 'ddp' | 'split' };

export interface Face {
  /** As the setting `mode` has it. */
  readonly name: Mode;
  /** In full, as PyTorch calls it. */
  readonly title: string;
  readonly short: string;
  /** Where there is little room; absent: `short`. */
  readonly tight?: string;
  /** One sentence. */
  readonly about: string;
  /** In links: `mode=dp`. */
  readonly link: string;
  /** What else people call it, in small letters without spaces. */
  readonly alsoCalled?: readonly string[];
  /** The part of the configuration that only this mode reads. */
  readonly section?: 'ddp' | 'modelParallel' | 'parameterServer';
  readonly controls?: readonly Control[];
  /** One device, whatever `worldSize` says. */
  readonly oneDevice?: true;
  /** Each device has a process of its own: a rank of a process group, be there only one. */
  readonly processPerDevice?: true;
  /** What torchrun starts can run in it. */
  readonly launchable?: true;
  /** The devices share the rows of a batch. */
  readonly splitsBatch?: true;
  /** Gradients are reduced in buckets, which have a view of their own. */
  readonly buckets?: true;
  /** What `dropLast` leaves out, where that is not the last batch that is not full. */
  readonly dropLast?: string;
  /** The most devices that can have something to do; absent: any number. */
  mostDevices?(config: Config): number;
  /** Why its weights are not those of one device; undefined: because of nothing but the order of sums. */
  differenceCause?(config: Config): string | undefined;
}

/** The cause that all modes which cut the batch have in common. */
export const NORM_OF_PARTS = 'batch norm takes the statistics of each part of the batch by itself';
