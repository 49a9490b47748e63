/** A model of another kind had to make place for data that it cannot read. */

import type { Notice } from '../../protocol/notice';
import { PRESETS, type PresetName } from '../../protocol/presets';

export const replacedNotice = (preset: PresetName | undefined): Notice | undefined =>
  preset && {
    level: 'info',
    id: 'model-replaced',
    text: `The model could not read these rows; the preset ${PRESETS[preset].title} took its place, with its optimiser and batch.`,
    hint: "Use the browser's Back button to return to the previous run.",
  };
