/**
 * The facts if the reader has chosen a bucket's tab: that bucket's chunks replace those of the bucket being sent, until
 * the next bucket is sent. Pure.
 */
import type { StageFacts } from './facts';
import type { ChosenTab } from './scene-types';

export function forTab(facts: StageFacts, chosen: ChosenTab | undefined): StageFacts {
  const view = chosen && facts.step?.views.ofBucket(chosen.bucket);
  if (!view) return facts;
  return {
    ...facts,
    view(device) {
      const own = facts.view(device);
      const sent = own.shows === 'chunks' ? own.exchange.bucket?.index : undefined;
      return sent !== undefined && sent === chosen.instead ? view : own;
    },
  };
}
