/** The failures panel's edits of the setting `stragglers`. Pure. */
import type { Config } from '../../protocol/config';

export type Stragglers = Config['stragglers'];
type Link = Extract<Stragglers[number], { type: 'link' }>;

export const factorOf = (stragglers: Stragglers, device: number): number =>
  stragglers.find((s) => s.type === 'rank' && s.rank === device)?.factor ?? 1;

/** The first slow link, the only one that the panel shows. */
export const slowLink = (stragglers: Stragglers): Link | undefined =>
  stragglers.find((s): s is Link => s.type === 'link');

export function withFactor(stragglers: Stragglers, rank: number, factor: number): Stragglers {
  const others = stragglers.filter((s) => s.type !== 'rank' || s.rank !== rank);
  return factor === 1 ? others : [...others, { type: 'rank', rank, factor }];
}

/** Replaces the first slow link; full speed removes it. */
export function withLink(stragglers: Stragglers, { from, to, factor }: Omit<Link, 'type'>): Stragglers {
  const shown = slowLink(stragglers);
  const others = stragglers.filter((s) => s !== shown);
  return factor === 1 ? others : [...others, { type: 'link', from, to, factor }];
}
