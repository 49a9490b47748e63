/** The list of keys, behind `?`. Loaded when it is first opened. */

import { KeysRows } from '../fields/keys-rows';
import { KeysOfTimeline } from '../timeline/keys-of-timeline';
import { HELP_KEY, KEYS } from './keys';

export function KeysList() {
  return (
    <>
      <h2>Keys</h2>
      <table>
        <tbody>
          <KeysRows keys={[...KEYS, { label: HELP_KEY, does: 'This list' }]} />
        </tbody>
      </table>
      <KeysOfTimeline />
    </>
  );
}
