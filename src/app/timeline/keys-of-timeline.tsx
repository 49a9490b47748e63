/** The keys of the timeline, in the dialog behind `?`. */
import { KeysRows } from '../fields/keys-rows';
import { TIMELINE_KEYS } from './timeline-keys';

export function KeysOfTimeline() {
  return (
    <>
      <h3>While the timeline has the focus</h3>
      <table>
        <tbody>
          <KeysRows keys={TIMELINE_KEYS} />
        </tbody>
      </table>
    </>
  );
}
