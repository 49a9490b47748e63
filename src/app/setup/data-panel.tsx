/** Which data: the built-ins as thumbnails, a CSV of one's own, noise and test split. */
import { useRef } from 'react';
import { must } from '../../base/invariant';
import { BUILT_IN_DATA, type BuiltInData, withData } from '../edit-data';
import fields from '../fields/fields.module.css';
import { Section } from '../fields/section';
import { NumberSetting } from '../fields/settings';
import { formatCount } from '../format';
import { useApp, useController } from '../use-app';
import { useTakeFiles } from '../use-file-drop';
import { CsvColumns } from './csv-columns';
import styles from './data-panel.module.css';
import { Thumbnail } from './thumbnail';

const NAMES: Readonly<Record<BuiltInData, string>> = {
  circle: 'Circle',
  xor: 'Exclusive or',
  gauss: 'Gaussians',
  spiral: 'Spiral',
  plane: 'Plane',
  randomRegression: 'Random regression',
  prototypes: 'Prototypes',
  digits: 'Digits',
  shapes: 'Shapes',
  sequence: 'Sequence task',
  text: 'Text',
};

export function DataPanel() {
  const config = useApp((app) => app.config);
  const dataset = useApp((app) => app.info?.dataset);
  const controller = useController();
  const takeFiles = useTakeFiles();
  const input = useRef<HTMLInputElement>(null);
  const { data } = config;
  return (
    <Section part="data" title="Data">
      <div role="radiogroup" aria-label="Data" className={styles['thumbnails']}>
        {BUILT_IN_DATA.map((type) => (
          <Thumbnail
            key={type}
            type={type}
            name={NAMES[type]}
            checked={data.type === type}
            onChoose={() => controller.apply(withData(config, type))}
          />
        ))}
      </div>
      <div className={styles['file']}>
        <button type="button" className={fields['button']} onClick={() => must(input.current, 'file input').click()}>
          CSV file …
        </button>
        <span className={styles['hint']}>{data.type === 'csv' ? data.file : 'or drop one on the page'}</span>
        <input
          ref={input}
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          className="visually-hidden"
          aria-label="CSV file"
          tabIndex={-1}
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file) takeFiles([{ path: file.name, file }]);
            event.target.value = '';
          }}
        />
      </div>
      {data.type === 'csv' && <CsvColumns />}
      <NumberSetting label="Samples" path="data.samples" />
      <NumberSetting label="Features" path="data.in" />
      <NumberSetting label="Noise" path="data.noise" />
      <NumberSetting
        label="Test fraction"
        path="data.testFraction"
        title="Part of the rows kept out of training, as random_split draws it"
      />
      {dataset && (
        <p className={styles['hint']}>
          {formatCount(dataset.rows - dataset.testRows)} rows train, {formatCount(dataset.testRows)} test
        </p>
      )}
    </Section>
  );
}
