/** The CSV's target column, and whether its first line names the columns. */
import { lookup } from '../../base/lookup';
import { DATA } from '../../protocol/words/data';
import { Choice } from '../fields/settings';
import { withCsv } from '../looks/csv-look';
import { CSV_LOOKS } from '../looks/given';
import { useController } from '../run/use-controller';
import { useApp, useSlice } from '../state/use-app';

const HEADER = { auto: 'automatic', yes: 'names', no: 'data' } as const;

export function CsvColumns() {
  const config = useApp((app) => app.config);
  const files = useSlice(CSV_LOOKS);
  const controller = useController();
  const { data } = config;
  const look = data.type === 'csv' ? lookup(files, data.file) : undefined;
  if (data.type !== 'csv' || !look) return null;
  const byName = typeof data.target === 'string' ? look.columns.indexOf(data.target) : -1;
  const target = typeof data.target === 'number' ? data.target : byName < 0 ? look.columns.length - 1 : byName;
  const columns = Object.fromEntries(look.columns.map((column, index) => [String(index), column]));
  return (
    <>
      <Choice
        label={DATA.target.title}
        title={DATA.target.description}
        words={columns}
        value={String(target)}
        onChange={(index) => controller.apply(withCsv(config, look, Number(index), data.header).config)}
      />
      <Choice
        label={DATA.header.title}
        title={DATA.header.description}
        words={HEADER}
        value={data.header}
        onChange={(header) => {
          if (header === 'auto' || header === 'yes' || header === 'no') {
            controller.apply(withCsv(config, look, target, header).config);
          }
        }}
      />
    </>
  );
}
