/** The label of an exhibit of the museum: its texts, and threads of people who had the bug. Called by the exhibits. */
import type { ExhibitId } from './mistakes';

export interface Exhibit {
  /** The exhibit's name in links: #bug=set-epoch. */
  readonly id: ExhibitId;
  readonly title: string;
  /** The mistake, and why it looked right. */
  readonly mistake: string;
  /** The lines of the PyTorch script that matter. */
  readonly code: { readonly wrong: readonly string[]; readonly right: readonly string[] };
  /** PyTorch's message, or that there is none. */
  readonly says: string;
  /** The effect on the curves, the numbers and the timeline. */
  readonly shows: string;
  readonly cure: string;
  /** Threads of people who had this bug: owner/repository#thread. */
  readonly met: readonly string[];
  /** Threads that ask about it although the script was right. */
  readonly asked?: readonly string[];
}
