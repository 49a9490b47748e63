/** The figures' button that saves the figure; loaded when the session has answered. */
import { laterPanel } from '../boundary/loaded-panel';

export const SavePicture = laterPanel(
  'The button that saves a picture',
  async () => (await import('./save-picture')).SavePicture,
  { small: true },
);
