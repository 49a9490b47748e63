/** The words for two runs that differ without a known cause: the settings that differ may be the reason. */
import type { SettingDifference } from './compare-settings';

/** The most places of settings that are named. */
const NAMED = 4;

export function noCause(settings: readonly SettingDifference[] | undefined): string {
  // 'model.layers.0.out' is the net's, 'optimizer.lr' is the optimizer's.
  const places = [...new Set((settings ?? []).map(({ path }) => path.split('.').slice(0, 2).join('.')))];
  if (places.length === 0) return 'The two reports show no known cause.';
  const more = places.length > NAMED ? ` and ${places.length - NAMED} more` : '';
  return `The two reports show no known cause, but these settings differ: ${places.slice(0, NAMED).join(', ')}${more}.`;
}
