/** The collective's measured costs beside the algorithm's formulas. */
import type { ReactNode } from 'react';
import type { LabMeasurement, LabResult } from '../../protocol/lab';
import { ALGORITHMS } from '../../protocol/words/algorithms';
import { formatSize, formatTime } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import styles from './lab.module.css';
import { formulaText } from './lab-words';

interface TotalsProps {
  readonly result: LabResult;
  readonly measured: LabMeasurement | undefined;
  readonly measuring: boolean;
  readonly measure: () => void;
}

export function Totals({ result, measured, measuring, measure }: TotalsProps) {
  const { formula, bytesSent, rounds, modelledUs, check } = result;
  const naiveRounds = result.algorithm === 'naive' && formula.rounds > 2;
  const most = Math.max(0, ...bytesSent);
  const total = bytesSent.reduce((a, b) => a + b, 0);
  return (
    <section className={styles['totals']} aria-label="Totals">
      <h2>{ALGORITHMS[result.algorithm].name}, in total</h2>
      <table>
        <ColumnHeads names={['', 'this run', 'formula']} />
        <tbody>
          <Row
            name="Sent by the busiest rank"
            run={formatSize(most)}
            wanted={formatSize(Math.max(0, ...formula.bytesSent))}
          >
            {formulaText(formula.bytes)}
          </Row>
          <Row
            name="Sent by all"
            run={formatSize(total)}
            wanted={formatSize(formula.bytesSent.reduce((a, b) => a + b, 0))}
          />
          <Row name="Rounds" run={String(rounds.length)} wanted={String(formula.rounds)} />
          <Row name="Time, modelled" run={formatTime(modelledUs)} wanted={formatTime(formula.timeUs)}>
            {formulaText(formula.time)}
          </Row>
          <Row name="Time, measured" run={measured ? formatTime(measured.medianUs) : measuring ? '…' : '–'} wanted="">
            <button type="button" className={styles['quiet']} onClick={measure} disabled={measuring}>
              {measured ? `median of ${measured.runs} runs; again` : 'Measure on this machine'}
            </button>
          </Row>
        </tbody>
      </table>
      <p className={styles['note']}>
        S: buffer of a rank. N: number of ranks. start: the time that a collective takes before its first message. α:
        fixed cost of a message. β: bandwidth in bytes per second (in the papers β is its reciprocal).
        {naiveRounds && NAIVE_ROUNDS}
        {modelledUs < formula.timeUs * 0.999 &&
          ' The model is faster than the formula: a port can send the next message while the last message is still in flight.'}
        {modelledUs > formula.timeUs * 1.001 &&
          ` The model is slower than the formula: a port handles one message at a time${result.request.nodes > 1 ? ', and some cross between nodes' : ''}.`}
        {measured && ' Measured: typed arrays, ranks joined by MessagePorts in one thread.'}
      </p>
      <p className={styles['check']} data-good={check.sameBytes && check.maxError < 1e-6}>
        {verdict(result)}
      </p>
    </section>
  );
}

const NAIVE_ROUNDS =
  ' Here each round is a single message. It keeps the root’s port busy for α/2 and is in flight for' +
  ' another α/2, while the next message starts. So the time grows by about α/2 per round, not by α.';

/** The result of the check against the collective's definition, in words. */
function verdict({ check, request }: LabResult): string {
  if (request.op === 'barrier' || request.op === 'sendRecv') return '';
  const same = check.sameBytes ? '' : ' The ranks do NOT hold the same bytes.';
  if (check.maxError === 0) return `The result is exact.${same}`;
  const size = check.maxError < 1e-6 ? 'only by rounding' : 'by more than rounding';
  return `The result differs from double precision ${size}: ${check.maxError.toExponential(1)} of its size.${same}`;
}

interface RowProps {
  readonly name: string;
  readonly run: string;
  readonly wanted: string;
  readonly children?: ReactNode;
}

function Row({ name, run, wanted, children }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {name}
        {children !== undefined && <span>{children}</span>}
      </th>
      <td>{run}</td>
      <td>{wanted}</td>
    </tr>
  );
}
