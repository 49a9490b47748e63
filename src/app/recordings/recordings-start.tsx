/** The view of recordings before a file is open: which files can be dropped here, and how to make them. */
import { FileStart } from '../files/file-start';
import view from '../files/file-view.module.css';
import { EXAMPLE_IDS } from '../permalink/recording-link';
import { EXAMPLES } from './examples';
import { OpenButtons } from './open-buttons';
import type { Asking } from './use-asking';

const SNIPPET = `three_steps = torch.profiler.schedule(wait=2, warmup=2, active=3)
with torch.profiler.profile(schedule=three_steps, record_shapes=True) as prof:
    for batch in loader:
        train_step(batch)
        prof.step()  # marks ProfilerStep#N
prof.export_chrome_trace(f'rank{dist.get_rank()}.json.gz')`;

const KINDS = [
  {
    name: 'Traces of torch.profiler',
    what: 'one file for each rank, .json or .json.gz: lanes, overlap, idle time, stragglers.',
  },
  {
    name: 'Dumps of the flight recorder',
    what: 'one for each rank, pickle or JSON: what each rank did last before it hung, and where they disagree.',
  },
  { name: 'Tables of nccl-tests', what: 'or of lockstep collectives: bandwidth over size.' },
  { name: 'Other Chrome traces', what: 'if they say which rank they belong to.' },
] as const;

const LEAD =
  'Look at what a real run did, in the figures of this page. Drop its files anywhere here. They are read in ' +
  'this browser and are not sent anywhere.';

export function Start({ asking }: { readonly asking: Asking }) {
  const snippet = { heading: 'Record your own trace', label: 'How a trace is recorded', code: SNIPPET };
  return (
    <FileStart lead={LEAD} kinds={KINDS} snippet={snippet}>
      <OpenButtons asking={asking} />
      {EXAMPLE_IDS.map((id) => (
        <p key={id} className={view['soft']}>
          Example “{EXAMPLES[id].name}”: {EXAMPLES[id].title}. {EXAMPLES[id].what}
        </p>
      ))}
    </FileStart>
  );
}
