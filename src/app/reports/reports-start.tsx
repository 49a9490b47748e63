/** The comparison before a report is open: what a report is, and how to make one. */
import { FileStart } from '../files/file-start';

/** docs/reports.md has the same lines, and a test runs them. */
const SNIPPET = `import json
losses = []
for x, y in loader:                      # your own training loop
    losses.append(train_step(x, y).item())
json.dump({'losses': losses}, open('report.json', 'w'))`;

const KINDS = [
  {
    name: 'The same run on real PyTorch',
    what: 'lockstep export writes the scripts; train.py --report report.json --history 20 writes a report.',
  },
  { name: 'Another run of Lockstep', what: 'lockstep train --out report.json --history 20 --weights.' },
  { name: 'A loop of your own', what: 'the losses are enough; weights and gradients can be added.' },
] as const;

const LEAD =
  'Is it the same run? Drop a report here. Lockstep compares its losses, weights and gradients with the run on this ' +
  'page, and names likely causes where they differ. The report is read in this browser and is not sent anywhere.';

export const Start = () => (
  <FileStart
    lead={LEAD}
    kinds={KINDS}
    snippet={{ heading: 'Write your own report', label: 'How a report is written', code: SNIPPET }}
  />
);
