/**
 * The caption below a picture of a moment: the run and step, and the sentence above the stage. Loaded with the stage.
 */
import { FACES } from '../../parallel/faces';
import { capital } from '../../trace/capital';
import { plainText } from '../../trace/moments/marked';
import { sentenceAt } from '../../trace/moments/moment-sentence';
import { momentWords } from '../share/moment-words';
import type { App } from '../state/app-state';
import { standstillSentence } from '../terms/standstill-words';

/** 'DistributedDataParallel on 4 ranks' */
export function runWords({ config, info }: Pick<App, 'config' | 'info'>): string {
  const face = FACES[(info?.config ?? config).mode];
  const ranks = info?.worldSize ?? config.worldSize;
  return face.oneDevice ? face.title : `${face.title}, ${ranks} ranks`;
}

export function momentCaption(app: App): string {
  const trace = app.traces[app.cursor?.trace ?? -1];
  if (!trace || !app.cursor) return `${runWords(app)}, before the first step.`;
  const said = app.standstill ? standstillSentence(app.standstill) : sentenceAt(trace, app.cursor.event, app.clock);
  return `${runWords(app)}, ${momentWords(app)}. ${capital(plainText(said)).replace(/[.]$/, '')}.`;
}

export const fileName = (figure: string, app: App): string => {
  if (figure === 'lab') return `lockstep-lab-round-${app.lab?.round ?? 0}`;
  if (figure === 'recording') return 'lockstep-recording';
  const step = momentWords(app)
    .replace(/[^a-z0-9]+/gi, '-')
    .replace(/^-|-$/g, '');
  return ['lockstep', figure, step].filter((part) => part !== '').join('-');
};
