/**
 * A figure before anything runs: its recorded picture, sentence and numbers, and its caption. Prints, search engines
 * and readers without JavaScript get this HTML, too; live/ replaces the picture by the run.
 */

import { labSentence } from '../../app/lab/lab-sentence';
import { stripsOfLesson } from '../../app/notices/which-notices';
import { chunksOf } from '../../app/pipeline/row-titles';
import { runSchedule } from '../../app/pipeline/use-run-schedule';
import type { App } from '../../app/state/app-state';
import { capital } from '../../trace/capital';
import { plainText } from '../../trace/moments/marked';
import { sentenceAt } from '../../trace/moments/moment-sentence';
import { labelOf } from '../facts/label';
import type { FigureSpec, View } from '../lesson';
import type { Recorded } from '../record/record-run';
import { linkOf } from '../run-link';
import { figureOf, type PageContext, placeOnce, runOf, usePage } from './lesson-context';
import { type SizedPicture, shelvePictures } from './pictures';
import { StaticTable } from './static-table';
import { Value } from './value';

export function Figure({ id }: { id: string }) {
  const page = usePage();
  placeOnce(page, 'figure', id);
  const spec = figureOf(page, id);
  // If the reader wants less motion, a figure waits for Play.
  if (spec.starts !== 'rest' && !spec.controls.includes('play'))
    throw new Error(`Lesson "${page.name}": figure "${id}" starts by itself, so its controls must have 'play'.`);
  const recorded = runOf(page, id);
  return (
    <figure className="figure" id={`figure-${id}`} data-figure={id} data-starts={spec.starts}>
      <div className="figure-static">
        <div className="figure-bar" data-settings={slidersOf(spec)} data-rows={rowsOfBar(spec)} />
        {stripsOfLesson(recorded?.store.getState().notices ?? []).map(({ id: notice, level, text, hint }) => (
          <p key={notice} className="figure-notice" data-level={level}>
            <span>
              {text} <small>{hint}</small>
            </span>
          </p>
        ))}
        {recorded && <Pictures page={page} id={id} spec={spec} recorded={recorded} />}
      </div>
      <figcaption>
        {spec.caption} <OpenLink spec={spec} />
      </figcaption>
      {spec.numbers.length > 0 && (
        <details className="figure-numbers">
          <summary>In numbers</summary>
          <table>
            <tbody>
              {spec.numbers.map((of) => (
                <tr key={of}>
                  <th scope="row">{labelOf(of)}</th>
                  <td>
                    <Value of={of} figure={id} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </figure>
  );
}

/** The settings of the live figure, and the slider of a lab's rounds. */
const slidersOf = ({ run, controls }: FigureSpec): number =>
  controls.filter((control) => typeof control !== 'string' || (control === 'round' && run.includes('lab='))).length;

/** Sizes in the live toolbar on a wide page, in CSS pixels: letters of 13 px, and the space around them. */
const BAR = { width: 936, letter: 7.3, gap: 28, slider: 290, choice: 24, press: 44 } as const;

/** Number of rows that the settings take in the live toolbar of a wide page. */
function rowsOfBar(spec: FigureSpec): number {
  const letters = (text: string) => BAR.letter * text.length;
  const settings = spec.controls.flatMap((control) => {
    if (control === 'round') return spec.run.includes('lab=') ? [BAR.slider] : [];
    if (typeof control === 'string') return [];
    const words = control.words ?? control.values;
    if (words.length > 3) return [BAR.slider];
    return [12 + letters(control.label) + words.reduce((width, word) => width + BAR.choice + letters(word), 0)];
  });
  const presses = spec.controls.length - settings.length;
  let left = BAR.width - BAR.press * presses;
  let rows = 1;
  for (const width of settings) {
    if (left < width) {
      rows++;
      left = BAR.width - BAR.press * presses;
    }
    left -= width + BAR.gap;
  }
  return rows;
}

const OpenLink = ({ spec }: { spec: FigureSpec }) => (
  <a className="figure-open" href={`../#${linkOf(spec.run)}`}>
    Open in the playground
  </a>
);

interface PicturesProps {
  readonly page: PageContext;
  readonly id: string;
  readonly spec: FigureSpec;
  readonly recorded: Recorded;
}

function Pictures({ page, id, spec, recorded }: PicturesProps) {
  const sentence = sentenceOf(recorded);
  const pictures = shelvePictures(page.shelf, page.name, id, spec, recorded);
  return (
    <>
      <p className="figure-sentence">{sentence}</p>
      {spec.show.map((view) => {
        const picture = pictures.get(view);
        return picture ? (
          <ThemedPicture
            key={view}
            view={view}
            picture={picture}
            alt={`${PICTURE_OF[view]}. ${sentence}`}
            isTall={view === 'schedule' && hasChunks(recorded.store.getState())}
          />
        ) : (
          <div key={view} className="figure-view" data-view={view}>
            <StaticTable view={view} app={recorded.store.getState()} />
          </div>
        );
      })}
    </>
  );
}

/** With several stages per rank the legend of a schedule has one more entry, a line of its own on a phone. */
const hasChunks = ({ info }: App): boolean =>
  info !== undefined && chunksOf(runSchedule(info.config).schedule).some((chunk) => chunk > 0);

/** Alternative text of a picture; the sentence of its moment follows. */
const PICTURE_OF: Readonly<Record<View, string>> = {
  stage: 'The devices at one moment of the step',
  timeline: 'The step over time, with lanes for each device',
  schedule: 'The schedule of the pipeline, with one row per rank',
  editor: 'A schedule to edit, with one row per rank',
  loss: 'The loss of every step',
  field: 'The output of the net at every point of the plane',
  memory: 'The memory of each device, by kind',
  curve: 'The memory of rank 0 over the step, by kind',
  range: 'The sizes of the gradients of each layer, beside the range of float16',
  scale: 'The scale of the loss over the steps',
  buckets: 'The buckets, in the order in which they are sent',
  devices: 'What each device does during the step',
  lab: 'The buffers of the ranks, chunk by chunk',
};

const NARROW = '(max-width: 600px)';

const sized = (picture: Omit<SizedPicture, 'narrow'>, theme: 'light' | 'dark') => ({
  srcSet: picture[theme],
  width: picture.width,
  height: picture.height,
});

interface ThemedProps {
  readonly view: View;
  readonly picture: SizedPicture;
  readonly alt: string;
  /** The line above the live view needs more room on a phone. */
  readonly isTall: boolean;
}

function ThemedPicture({ view, picture, alt, isTall }: ThemedProps) {
  return (
    <picture className="figure-view" data-view={view} data-tall={isTall || undefined}>
      {picture.narrow && (
        <>
          <source {...sized(picture.narrow, 'dark')} media={`${NARROW} and (prefers-color-scheme: dark)`} />
          <source {...sized(picture.narrow, 'light')} media={NARROW} />
        </>
      )}
      <source srcSet={picture.dark} media="(prefers-color-scheme: dark)" />
      <img src={picture.light} width={picture.width} height={picture.height} alt={alt} loading="lazy" />
    </picture>
  );
}

/** The sentence above the picture. */
export function sentenceOf({ lab, facts, store }: Recorded): string {
  if (lab) return labSentence(lab, facts.round);
  return atCursor(store.getState());
}

function atCursor({ cursor, traces, clock }: App): string {
  const trace = cursor && traces[cursor.trace];
  if (!trace || cursor.event < 0) return '';
  return `${capital(plainText(sentenceAt(trace, cursor.event, clock))).replace(/[.]$/, '')}.`;
}
