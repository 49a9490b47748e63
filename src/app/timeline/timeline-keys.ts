/**
 * The keys of the timeline while it has the focus, as the dialog behind `?` prints them. obey-keys.ts implements them.
 */
export const TIMELINE_KEYS: readonly { readonly label: string; readonly does: string }[] = [
  { label: '← →', does: 'The time cursor one event back or forward; Page Up and Page Down go by ten' },
  { label: 'Home End', does: 'To the beginning or the end of the step' },
  { label: 'Enter', does: 'Select the event at the cursor: what it waited for, and what waited for it' },
  { label: 'Shift ← →', does: 'Select the span, or the gap, before or after it; why the device is idle there' },
  { label: 'Shift ↑ ↓', does: 'Select what is in the lane above or below at that time' },
  { label: 'w s', does: 'Zoom in or out, as + and −' },
  { label: 'a d', does: 'Move the window to the left or right' },
  { label: 'f', does: 'Zoom to the selection; without a selection, show the whole step' },
  { label: '0', does: 'Show the whole step' },
  { label: '/', does: 'Search; then Enter and Shift Enter go to the next and the previous match' },
  { label: 'k', does: 'Highlight the critical path' },
  { label: 'Esc', does: 'Select nothing' },
];
