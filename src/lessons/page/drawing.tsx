/**
 * A drawing before a script runs: its picture in two widths, its sentence, its knobs (hidden without a script), and its
 * numbers as a table.
 */
import type { ReactNode } from 'react';
import { ColumnHeads } from '../../app/fields/column-heads';
import { lookup } from '../../base/lookup';
import { REACHED } from '../../sizing/machines';
import { type Drawn, type Knob, settingsOf } from '../drawing/drawing';
import { write } from '../facts/write';
import { FIGURE_WIDTH } from '../figure-size';
import { type DrawingAsked, drawingOf, drawnAt, placeOnce, SIZE, usePage } from './lesson-context';
import { shelveDrawing } from './pictures';

/** Inside the frame's padding, on a wide page and on a phone. */
const WIDE = FIGURE_WIDTH - 40;
const NARROW = 318;

export function Drawing({ id }: { id: string }) {
  const page = usePage();
  placeOnce(page, 'drawing', id);
  const asked = drawingOf(page, id);
  if (!asked.ready) return null;
  const wide = drawnAt(asked, WIDE);
  const narrow = drawnAt(asked, NARROW).svg;
  if (id !== SIZE) shelveDrawing(page.shelf, page.name, id, narrow);
  const settings = settingsOf(asked.kind, asked.about, asked.spec.start);
  const knobs = asked.kind.knobs(asked.about);
  // Different drawings have different captions, so their forms have different names.
  const caption = asked.spec.caption.split('. ')[0];
  return (
    <figure
      className="drawing"
      id={`drawing-${id}`}
      data-drawing={id}
      data-kind={asked.spec.kind}
      data-about={asked.about}
    >
      <form className="drawing-knobs" aria-label={`Settings of the picture: ${caption}`} data-count={knobs.length}>
        {knobs.map((knob) => (
          <KnobField key={knob.key} knob={knob} value={lookup(settings, knob.key) ?? ''} name={`${id}-${knob.key}`} />
        ))}
      </form>
      <p className="drawing-says" role="status">
        {wide.says}
      </p>
      <Svg markup={wide.svg} shape="wide" />
      <Svg markup={narrow} shape="narrow" />
      <figcaption>{asked.spec.caption}</figcaption>
      <Numbers drawn={wide} />
      {asked.spec.kind === 'at-size' && <Assumptions />}
      <Data asked={asked} />
    </figure>
  );
}

/** The worked example of the lesson, with published models on rented machines. */
export const AtYourSize = ({ children }: { children?: ReactNode }) => (
  <section className="at-size" aria-labelledby="at-your-size">
    <h2 id="at-your-size">At your size</h2>
    {children}
    <Drawing id={SIZE} />
  </section>
);

const Svg = ({ markup, shape }: { markup: string; shape: 'wide' | 'narrow' }) => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn by drawing/svg.ts, which escapes all text
  <div className="drawing-picture" data-shape={shape} dangerouslySetInnerHTML={{ __html: markup }} />
);

/** At most this many choices are shown side by side, if they are short. */
const SIDE_BY_SIDE = 4;
const SHORT = 44;

function KnobField({ knob, value, name }: { knob: Knob; value: string; name: string }) {
  const { key, label, values, words = values, play } = knob;
  const chosen = Math.max(0, values.indexOf(value));
  if (values.length <= SIDE_BY_SIDE && words.join('').length <= SHORT && play !== true)
    return (
      <fieldset data-knob={key}>
        <legend>{label}</legend>
        {values.map((own, index) => (
          <label key={own}>
            <input type="radio" name={name} value={own} defaultChecked={index === chosen} /> {words[index]}
          </label>
        ))}
      </fieldset>
    );
  if (knob.words && !play)
    return (
      <label data-knob={key}>
        <span>{label}</span>
        <select name={name} defaultValue={value}>
          {values.map((own, index) => (
            <option key={own} value={own}>
              {words[index]}
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <div data-knob={key} data-play={play}>
      {play && (
        <button type="button" aria-label={`Play: ${label}`}>
          Play
        </button>
      )}
      <label>
        <span>
          {label} <output>{words[chosen]}</output>
        </span>
        <input
          type="range"
          name={name}
          min={0}
          max={values.length - 1}
          step={1}
          defaultValue={chosen}
          aria-valuetext={words[chosen]}
          data-values={JSON.stringify(values)}
          data-words={words === values ? undefined : JSON.stringify(words)}
        />
      </label>
    </div>
  );
}

function Numbers({ drawn }: { drawn: Drawn }) {
  const table = drawn.table ?? {
    head: ['', ''],
    rows: drawn.values.map(({ label, value, format }) => [label, write(value, format)]),
  };
  return (
    <details className="figure-numbers">
      <summary>In numbers</summary>
      <div className="drawing-table">
        <table>
          {drawn.table && <ColumnHeads names={table.head} />}
          <tbody>
            {table.rows.map(([first = '', ...cells]) => (
              <tr key={first}>
                <th scope="row">{first}</th>
                {cells.map((cell, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The same for all worked examples; sizing/ has each number with its source. */
const Assumptions = () => (
  <details className="figure-numbers">
    <summary>What these numbers assume</summary>
    <p>
      Mixed precision with autocast: weights, gradients and optimiser states have 4 bytes per value, activations 2, and
      autocast keeps a 16-bit copy of each weight. Attention is a flash kernel, which keeps no matrix of scores. A
      kernel takes its launch, then the longer of its arithmetic at {REACHED * 100} % of the data sheet’s tensor-core
      rate and its memory traffic. Collectives take what NCCL’s own estimate says; 80 % of a link’s line rate is usable.
      Python, the data loader and fragmentation cost nothing here, so expect somewhat more memory and time.
    </p>
  </details>
);

const Data = ({ asked: { spec, data } }: { asked: DrawingAsked }) => {
  const start = spec.start ?? {};
  if (data === undefined && Object.keys(start).length === 0) return null;
  const json = JSON.stringify({ start, data }).replaceAll('<', '\\u003c');
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON of our own, which no browser runs
  return <script type="application/json" dangerouslySetInnerHTML={{ __html: json }} />;
};
