/** The list of keys with what they do, behind `?`. Loaded when it is first opened. */

import { KeysRows } from '../fields/keys-rows';
import { KeysOfTimeline } from '../timeline/keys-of-timeline';
import { HELP_KEY, type KeyLabel } from './keys';

/** In the order of the table in keys.ts. */
const DOES: Readonly<Record<KeyLabel, string>> = {
  Space: 'Play or pause',
  '.': 'Step one moment: what all ranks do together',
  ',': 'One moment back',
  'Shift .': 'Step one phase: forward, loss, backward, each half of an all-reduce, update',
  'Shift ,': 'One phase back',
  n: 'Step one round of a collective',
  'Shift n': 'One round back',
  'Alt .': 'Step a single event of one rank',
  'Alt ,': 'A single event back',
  i: 'Step one iteration',
  '+': 'A faster pace, which then stays',
  '−': 'A slower pace, which then stays',
  h: 'Hold this pace, or let it double again',
  r: 'Reset to the same start',
  t: 'Modelled or measured time',
  c: 'Checkpoints: save and load',
  p: 'Focus the next part of the page: bar, stage, timeline, set-up, result, code',
  'Shift p': 'Focus the previous part',
  Esc: 'Remove the pin',
};

export function KeysList() {
  return (
    <>
      <h2>Keys</h2>
      <table>
        <tbody>
          <KeysRows
            keys={[...Object.entries(DOES), [HELP_KEY, 'This list'] as const].map(([label, does]) => ({ label, does }))}
          />
        </tbody>
      </table>
      <KeysOfTimeline />
    </>
  );
}
