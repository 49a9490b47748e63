/** A comparison on the page: the verdict, likely causes with their evidence, both losses, and tables. */
import { useMemo } from 'react';
import type { AnyReport } from '../../reports/any-report';
import type { ReportComparison } from '../../reports/compare-reports';
import { type Section, sectionsOf } from '../../reports/comparison-sections';
import { noCause } from '../../reports/no-cause';
import { DuoLosses } from '../compare/duo-losses';
import { joinLosses } from '../compare/join-losses';
import { ColumnHeads } from '../fields/column-heads';
import { ScrollRegion } from '../fields/scroll-region';
import view from '../files/file-view.module.css';
import styles from './reports.module.css';

export function Compared({ comparison }: { readonly comparison: ReportComparison }) {
  const { a, b, verdict, causes, bar, settings } = comparison;
  const both = useMemo(() => joinLosses(curveOf(a), curveOf(b)), [a, b]);
  const sections = useMemo(() => sectionsOf(comparison), [comparison]);
  return (
    <>
      <p role="status" aria-label="Verdict" className={styles['verdict']} data-same={String(verdict.same)}>
        {verdict.sentence}
      </p>
      {verdict.same === false && (
        <section aria-label="Likely causes" className={styles['causes']}>
          <h3>{causes.length === 1 ? 'The likely cause' : 'Likely causes'}</h3>
          {causes.length === 0 ? (
            <p>{noCause(settings)}</p>
          ) : (
            <ol>
              {causes.map(({ id, says, evidence }) => (
                <li key={id}>
                  {says} <span>{evidence}</span>
                </li>
              ))}
            </ol>
          )}
        </section>
      )}
      {both.steps.length > 0 && <DuoLosses both={both} names={[`A: ${a.name}`, `B: ${b.name}`]} />}
      {sections.map((section) => (
        <Table key={section.heading} section={section} />
      ))}
      <p className={view['soft']}>Bar: a relative difference of {bar.text}; for gradients 8 times as much.</p>
    </>
  );
}

/** The curve for the plot, with as many micro-batches per step as the first step has. */
const curveOf = ({ losses }: AnyReport) => ({
  losses,
  accumulate: Math.max(1, losses.filter(({ step }) => step === losses[0]?.step).length),
});

function Table({ section: { heading, lead, columns, rows, notes } }: { readonly section: Section }) {
  return (
    <section aria-label={heading} className={styles['section']}>
      <h3>{heading}</h3>
      {lead !== undefined && <p>{lead}</p>}
      {rows.length > 0 && (
        <ScrollRegion label={`${heading}, table`} className={styles['scroll']}>
          <table>
            <ColumnHeads names={columns} />
            <tbody>
              {rows.map(([name = '', ...cells]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {cells.map((cell, i) => (
                    <td key={columns[i + 1]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {notes.map((note) => (
        <p key={note} className={view['soft']}>
          {note}
        </p>
      ))}
    </section>
  );
}
