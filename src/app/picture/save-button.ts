/** The button at a figure that saves it, as the figures show it: it comes when the session has answered. */
import { laterPanel } from '../boundary/loaded-panel';

export const SavePicture = laterPanel(
  'The button that saves a picture',
  async () => (await import('./save-picture')).SavePicture,
  { small: true },
);
