/** The confusion matrix in numbers: all cells if there are few classes, else the most frequent mistakes. */
import { ColumnHeads } from '../../fields/column-heads';
import { ScrollRegion } from '../../fields/scroll-region';
import styles from '../result.module.css';
import type { ConfusionNumbers } from './confusion-numbers';

const MOST_CLASSES = 24;
const MOST_MISTAKES = 30;

interface ConfusionTableProps {
  readonly numbers: ConfusionNumbers;
  readonly nameOf: (index: number) => string;
}

export function ConfusionTable({ numbers, nameOf }: ConfusionTableProps) {
  const all = numbers.classes <= MOST_CLASSES;
  return (
    <details className={styles['table']}>
      <summary>As a table</summary>
      <ScrollRegion label="Confusions as a table" className={styles['scroll']}>
        {all ? <Counts numbers={numbers} nameOf={nameOf} /> : <Mistakes numbers={numbers} nameOf={nameOf} />}
      </ScrollRegion>
    </details>
  );
}

function Counts({ numbers, nameOf }: ConfusionTableProps) {
  const classes = Array.from({ length: numbers.classes }, (_, index) => index);
  return (
    <table aria-label="Confusion matrix">
      <ColumnHeads names={['target', ...classes.map((predicted) => nameOf(predicted))]} />
      <tbody>
        {classes.map((target) => (
          <tr key={target}>
            <th scope="row">{nameOf(target)}</th>
            {classes.map((predicted) => (
              <td key={predicted}>{numbers.count(target, predicted)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Mistakes({ numbers, nameOf }: ConfusionTableProps) {
  return (
    <table>
      <ColumnHeads names={['target', 'taken for', 'rows', 'of']} />
      <tbody>
        {numbers.mistakes.slice(0, MOST_MISTAKES).map(({ target, predicted, count }) => (
          <tr key={`${target}-${predicted}`}>
            <th scope="row">{nameOf(target)}</th>
            <td>{nameOf(predicted)}</td>
            <td>{count}</td>
            <td>{numbers.total(target)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
