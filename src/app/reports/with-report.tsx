/**
 * Compares the run on the page with a report of `lockstep train`, of an exported script on real PyTorch, or of the
 * user's own training loop. Shows a verdict, likely causes, both losses in one plot, and tables. Loaded when it is
 * opened.
 */
import fields from '../fields/fields.module.css';
import { FileButton } from '../files/file-button';
import { FileView } from '../files/file-view';
import type { GivenFile } from '../looks/dropped-folders';
import { Compared } from './compared';
import { stepsOf } from './report-of-page';
import styles from './reports.module.css';
import { Start } from './reports-start';
import { MOST_STEPS, type ReportView, useReport } from './use-report';

export function WithReport() {
  const view = useReport();
  const { report, comparison, busy, failure, take, cancel } = view;
  const takeFirst = ([first]: readonly GivenFile[]) => first && take(first);
  return (
    <FileView
      title={
        <>
          Compare with a report {report && <span>{report.name}</span>}
          {report?.madeBy && <small> {report.madeBy}</small>}
        </>
      }
      buttons={
        <FileButton label="Report" accept=".json,application/json" onFiles={takeFirst}>
          Open a report …
        </FileButton>
      }
      progress={
        busy === 'reading' && (
          <div className={styles['here']}>
            <p role="status">Reading the report …</p>
            <Cancel cancel={cancel} />
          </div>
        )
      }
      failure={failure}
      dropWords="Drop a report here"
      onFiles={takeFirst}
      narrow
    >
      {comparison && <RunHere view={view} />}
      {comparison ? <Compared comparison={comparison} /> : <Start />}
    </FileView>
  );
}

const Cancel = ({ cancel }: Pick<ReportView, 'cancel'>) => (
  <button type="button" className={fields['button']} onClick={cancel}>
    Cancel
  </button>
);

/** If the page has taken fewer steps than the report, offers a separate run of the report's steps. */
function RunHere({ view: { report, comparison, busy, apart, run, cancel } }: { readonly view: ReportView }) {
  if (!report || !comparison) return null;
  const all = stepsOf(report);
  if (all === 0) return null;
  const steps = Math.min(MOST_STEPS, all);
  const words = steps === 1 ? '1 step' : `${steps.toLocaleString('en')} steps`;
  return (
    <div className={styles['here']}>
      <p>
        {apart
          ? `A is a run of ${words} with the settings of this page, made for this comparison; B is the report.`
          : `A is the run on this page up to its current step (${comparison.losses.pairs.length.toLocaleString('en')} of the report’s losses); B is the report.`}
        {all > MOST_STEPS && ` Longer runs are compared by lockstep compare.`}
      </p>
      <button type="button" className={fields['button']} disabled={busy !== undefined} onClick={run}>
        {busy === 'running'
          ? `Running ${words} …`
          : apart
            ? 'Run them again'
            : `Run ${words} here, and compare weights and gradients, too`}
      </button>
      {busy === 'running' && <Cancel cancel={cancel} />}
    </div>
  );
}
