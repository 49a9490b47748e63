/**
 * A figure as it is before anything runs: its recorded picture, sentence and numbers, and its caption. The same HTML is
 * what print, search engines and readers without JavaScript have; live/ puts the run in the place of the picture.
 */

import { labSentence } from '../../app/lab/lab-sentence';
import type { App } from '../../app/state/store';
import { plainText } from '../../trace/moments/marked';
import { sentenceAt } from '../../trace/moments/moment-sentence';
import { capital } from '../../trace/words';
import { labelOf } from '../facts/label';
import type { FigureSpec, View } from '../lesson';
import type { Recorded } from '../record/record-run';
import { linkOf } from '../run-link';
import { figureOf, type PageContext, placeOnce, runOf, usePage } from './context';
import { type SizedPicture, shelvePictures } from './pictures';
import { StaticTable } from './static-table';
import { Value } from './value';

export function Figure({ id }: { id: string }) {
  const page = usePage();
  placeOnce(page, 'figure', id);
  const spec = figureOf(page, id);
  const recorded = runOf(page, id);
  return (
    <figure className="figure" id={`figure-${id}`} data-figure={id} data-starts={spec.starts}>
      <div className="figure-static">
        <div className="figure-bar" data-settings={slidersOf(spec)} />
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
          <ThemedPicture key={view} view={view} picture={picture} alt={`${view}: ${sentence}`} />
        ) : (
          <div key={view} className="figure-view" data-view={view}>
            <StaticTable view={view} app={recorded.store.getState()} />
          </div>
        );
      })}
    </>
  );
}

interface ThemedProps {
  readonly view: View;
  readonly picture: SizedPicture;
  readonly alt: string;
}

function ThemedPicture({ view, picture, alt }: ThemedProps) {
  return (
    <picture className="figure-view" data-view={view}>
      <source srcSet={picture.dark} media="(prefers-color-scheme: dark)" />
      <img src={picture.light} width={picture.width} height={picture.height} alt={alt} loading="lazy" />
    </picture>
  );
}

/** What is said above the picture. */
export function sentenceOf({ lab, facts, store }: Recorded): string {
  if (lab) return labSentence(lab, facts.round);
  return atCursor(store.getState());
}

function atCursor({ cursor, traces, clock }: App): string {
  const trace = cursor && traces[cursor.trace];
  if (!trace || cursor.event < 0) return '';
  return `${capital(plainText(sentenceAt(trace, cursor.event, clock))).replace(/[.]$/, '')}.`;
}
