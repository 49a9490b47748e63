/** The choice of data: built-in sets as thumbnails, the user's files, and the settings of the chosen kind. */

import { BUILT_IN_DATA, type BuiltInData, dataName } from '../../protocol/config/data';
import { DATA } from '../../protocol/words/data';
import { loadedPanel } from '../boundary/loaded-panel';
import { formatCount } from '../draw/format';
import { changeData } from '../edit/edit-data';
import { replacedNotice } from '../edit/replaced-notice';
import { Section } from '../fields/section';
import { ChoiceSetting, FlagSetting, NumberSetting } from '../fields/settings';
import { FileButton } from '../files/file-button';
import { useTakeFiles } from '../files/use-take-files';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import styles from './data-panel.module.css';
import { Thumbnail } from './thumbnail';

const CsvColumns = loadedPanel('The columns of a CSV file', async () => (await import('./csv-columns')).CsvColumns);

const TASKS = {
  reverse: 'reverse',
  sort: 'sort',
  copy: 'copy',
  modularAddition: 'modular addition',
  parity: 'parity',
} as const;
const ACCEPTED = '.csv,.tsv,.txt,.npy,.png,.zip,.gz,.idx,.safetensors,text/csv,text/plain';

export function DataPanel() {
  const config = useApp((app) => app.config);
  const dataset = useApp((app) => app.info?.dataset);
  const controller = useController();
  const takeFiles = useTakeFiles();
  const { data } = config;
  const choose = (type: BuiltInData) => {
    const change = changeData(config, type);
    controller.apply(change.config, 'edit', replacedNotice(change.replaced));
  };
  return (
    <Section part="data" title="Data">
      <div role="radiogroup" aria-label="Data" className={styles['thumbnails']}>
        {BUILT_IN_DATA.map((type) => (
          <Thumbnail
            key={type}
            type={type}
            name={dataName(type)}
            checked={data.type === type && !('file' in data && data.file !== undefined)}
            onChoose={() => choose(type)}
          />
        ))}
      </div>
      <div className={styles['file']}>
        <FileButton label="Data files" accept={ACCEPTED} multiple onFiles={takeFiles}>
          Files …
        </FileButton>
        <span
          className={styles['hint']}
          title="A .csv, two .npy, two IDX files, a .zip or folders of .png, a .txt; .safetensors for the initial weights"
        >
          {fileText(data) ?? 'or drop them on the page'}
        </span>
      </div>
      {data.type === 'csv' && <CsvColumns />}
      <ChoiceSetting {...DATA.task} words={TASKS} />
      <NumberSetting {...DATA.samples} />
      <NumberSetting {...DATA.length} />
      {!(data.type === 'sequence' && data.task === 'parity') && <NumberSetting {...DATA.symbols} />}
      <NumberSetting {...DATA.context} />
      <NumberSetting {...DATA.stride} />
      <NumberSetting {...DATA.in} />
      <NumberSetting {...DATA.out} />
      <NumberSetting {...DATA.classes} />
      {!(data.type === 'prototypes' && data.size !== undefined) && <NumberSetting {...DATA.features} />}
      <NumberSetting {...DATA.size} />
      <FlagSetting {...DATA.color} />
      <NumberSetting {...DATA.noise} />
      <NumberSetting {...DATA.testFraction} />
      {dataset && (
        <p className={styles['hint']}>
          {formatCount(dataset.rows - dataset.testRows)} rows train, {formatCount(dataset.testRows)} test
        </p>
      )}
    </Section>
  );
}

type Data = Parameters<typeof changeData>[0]['data'];

/** The file in use, or the pair of files. */
function fileText(data: Data): string | undefined {
  switch (data.type) {
    case 'csv':
    case 'text':
      return data.file;
    case 'npy':
      return `${data.inputs}, ${data.targets}`;
    case 'idx':
      return `${data.images}, ${data.labels}`;
    case 'png':
      return data.zip ?? 'single images';
    default:
      return undefined;
  }
}
