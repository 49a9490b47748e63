/**
 * Whether the settings are behind a button: on a narrow page the set-up is a sheet over it, on a phone with most of the
 * bar in it. In another page's frame, and where the bar with its button is hidden, the set-up stays in the page.
 */

import { useMedia } from '../draw/use-media';
import { useApp } from '../state/use-app';

/** The id of the sheet. */
export const SETTINGS = 'settings';

export function useSheet(): 'phone' | 'narrow' | undefined {
  const narrow = useMedia('(max-width: 1100px)');
  const phone = useMedia('(max-width: 720px)');
  const possible = useApp(({ embed, hide }) => !embed && !hide.has('bar') && !hide.has('setup'));
  return !possible ? undefined : phone ? 'phone' : narrow ? 'narrow' : undefined;
}
