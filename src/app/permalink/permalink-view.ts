/**
 * The part of a permalink about the page instead of the run: theme, embed, and the parts that a teacher hides or locks
 * (page-parts.ts).
 */
import { EXHIBIT_IDS, type ExhibitId } from '../../museum/mistakes';
import type { Theme } from '../draw/theme';
import { LAB_ALLOWED, type LabSettings, parseLab, printLab } from './lab-link';
import { isPagePart, PART_NAMES } from './page-parts';
import { EXAMPLE_IDS, isExample } from './recording-link';

/** The permalink's options for the page itself. */
export interface ViewOptions {
  readonly theme: Theme;
  readonly embed: boolean;
  /** The names of hidden regions and controls, and of locked ones, which are shown but cannot be changed. */
  readonly hide: ReadonlySet<string>;
  readonly lock: ReadonlySet<string>;
  /** The open exhibit of the museum of bugs: its mistake, or its cure. */
  readonly exhibit: { readonly id: ExhibitId; readonly cured: boolean } | undefined;
  /** What the collectives lab shows; undefined while it is closed. */
  readonly lab: LabSettings | undefined;
  /**
   * How the compared run differs from this one, in the text of compare/beside-link.ts; '' before that is known,
   * undefined without a comparison.
   */
  readonly beside: string | undefined;
  /** The open recording of a run elsewhere: an example's name, '' for files; undefined if none is open. */
  readonly recording: string | undefined;
}

export const VIEW_KEYS = ['theme', 'embed', 'hide', 'lock', 'bug', 'cured', 'lab', 'beside', 'recording'] as const;

const isTheme = (text: string): text is Theme => text === 'light' || text === 'dark' || text === 'system';

export const DEFAULT_VIEW: ViewOptions = {
  theme: 'system',
  embed: false,
  hide: new Set(),
  lock: new Set(),
  exhibit: undefined,
  lab: undefined,
  beside: undefined,
  recording: undefined,
};

type Bad = (key: string, text: string, why: string) => void;

function parseParts(key: 'hide' | 'lock', text: string | undefined, bad: Bad): ReadonlySet<string> {
  const names = (text ?? '').split(',').filter((name) => name !== '');
  const unknown = names.filter((name) => !isPagePart(name));
  if (unknown.length > 0) bad(key, unknown.join(','), `allowed are ${PART_NAMES.join(', ')}`);
  return new Set(names.filter(isPagePart));
}

function parseExhibit(pairs: ReadonlyMap<string, string>, bad: Bad): ViewOptions['exhibit'] {
  const named = pairs.get('bug');
  const id = EXHIBIT_IDS.find((known) => known === named);
  if (named !== undefined && id === undefined) bad('bug', named, `must be one of ${EXHIBIT_IDS.join(', ')}`);
  return id && { id, cured: pairs.get('cured') === '1' };
}

function parseLabView(text: string | undefined, bad: Bad): LabSettings | undefined {
  const lab = text === undefined ? undefined : parseLab(text);
  if (text !== undefined && !lab) bad('lab', text, `must be ${LAB_ALLOWED}`);
  return lab;
}

function parseRecording(text: string | undefined, bad: Bad): string | undefined {
  if (text === undefined || isExample(text)) return text;
  bad('recording', text, `must be one of ${EXAMPLE_IDS.join(', ')}`);
  return undefined;
}

export function parseView(pairs: ReadonlyMap<string, string>, bad: Bad): ViewOptions {
  const theme = pairs.get('theme') ?? 'system';
  const embed = pairs.get('embed') ?? '0';
  if (!isTheme(theme)) bad('theme', theme, 'must be one of light, dark, system');
  if (embed !== '0' && embed !== '1') bad('embed', embed, 'must be 1 or 0');
  return {
    theme: isTheme(theme) ? theme : 'system',
    embed: embed === '1',
    hide: parseParts('hide', pairs.get('hide'), bad),
    lock: parseParts('lock', pairs.get('lock'), bad),
    exhibit: parseExhibit(pairs, bad),
    lab: parseLabView(pairs.get('lab'), bad),
    beside: pairs.get('beside'),
    recording: parseRecording(pairs.get('recording'), bad),
  };
}

export function printView(view: ViewOptions): readonly (readonly [string, string])[] {
  const list = (names: ReadonlySet<string>) => PART_NAMES.filter((part) => names.has(part)).join(',');
  return [
    ['theme', view.theme === 'system' ? '' : view.theme] as const,
    ['embed', view.embed ? '1' : ''] as const,
    ['hide', list(view.hide)] as const,
    ['lock', list(view.lock)] as const,
    ['bug', view.exhibit?.id ?? ''] as const,
    ['cured', view.exhibit?.cured ? '1' : ''] as const,
    ['lab', view.lab ? printLab(view.lab) : ''] as const,
    ['beside', view.beside ?? ''] as const,
    ['recording', view.recording ?? ''] as const,
  ].filter(([, text]) => text !== '');
}
