/**
 * The state of every rank of a world over all its groups: the calls in which it waits, its last finished call, whether
 * it is gone. Messages of timeouts quote it.
 */
import { must } from '../../base/invariant';
import { type CallSite, siteText } from '../call-site';

export interface Stay {
  /** "all_reduce (seq 3)", "recv from rank 0". */
  readonly call: string;
  readonly site: CallSite | undefined;
}

interface RankState {
  readonly inside: Set<Stay>;
  /** "seq 2 (broadcast)", by name of the group. */
  readonly last: Map<string, string>;
  gone: string | undefined;
}

export class Whereabouts {
  private readonly states = new Map<number, RankState>();

  enter(rank: number, stay: Stay): void {
    this.state(rank).inside.add(stay);
  }

  leave(rank: number, stay: Stay): void {
    this.state(rank).inside.delete(stay);
  }

  completed(rank: number, group: string, call: string): void {
    this.state(rank).last.set(group, call);
  }

  /** `why`: "has ended", "terminated with ValueError: boom". */
  gone(rank: number, why: string): void {
    this.state(rank).gone ??= why;
  }

  whyGone(rank: number): string | undefined {
    return this.state(rank).gone;
  }

  /** "rank 0 waits in all_reduce (seq 3) at train.ts:12". */
  waits(rank: number, { call, site }: Stay): string {
    return `rank ${rank} waits in ${call}${siteText(site)}`;
  }

  /** What a rank that is missing in `group` does instead. */
  missing(rank: number, group: string): string {
    const { inside, last, gone } = this.state(rank);
    const completed = last.get(group);
    const before = completed === undefined ? 'has completed nothing here' : `last completed ${completed}`;
    if (gone !== undefined) return `rank ${rank} ${before} and ${gone}`;
    const elsewhere = [...inside].map(({ call, site }) => `${call}${siteText(site)}`);
    return `rank ${rank} ${before} and ${elsewhere.length === 0 ? 'has not called since' : `is in ${elsewhere.join(', ')}`}`;
  }

  private state(rank: number): RankState {
    if (!this.states.has(rank)) this.states.set(rank, { inside: new Set(), last: new Map(), gone: undefined });
    return must(this.states.get(rank), `rank ${rank}`);
  }
}
