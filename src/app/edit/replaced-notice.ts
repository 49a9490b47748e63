/** The notice that another kind of model replaced one that cannot read the new data. */

import type { Notice } from '../../protocol/notice';
import { PRESETS, type PresetName } from '../../protocol/presets';

export const replacedNotice = (preset: PresetName | undefined): Notice | undefined =>
  preset && {
    level: 'info',
    id: 'model-replaced',
    text: `The old model could not read these rows, so the preset ${PRESETS[preset].title} replaced it, with the optimiser and batch size of the preset.`,
    hint: "Use the browser's Back button to return to the previous run.",
  };
