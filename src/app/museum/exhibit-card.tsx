/**
 * The label of the open exhibit: the mistake, PyTorch's message, what to look at, and the cure. Loaded with the first
 * exhibit.
 */
import { must } from '../../base/invariant';
import { EXHIBITS } from '../../museum/exhibits';
import { type ExhibitId, MISTAKES } from '../../museum/mistakes';
import fields from '../fields/fields.module.css';
import { ScrollRegion } from '../fields/scroll-region';
import styles from './museum.module.css';
import { RehearsalView } from './rehearsal-view';
import { useExhibit } from './use-exhibit';

export function ExhibitCard({ id, cured }: { id: ExhibitId; cured: boolean }) {
  const { look, leave } = useExhibit();
  const index = EXHIBITS.findIndex((exhibit) => exhibit.id === id);
  const { title, mistake, code, says, shows, cure, met, asked = [] } = must(EXHIBITS[index], id);
  const next = must(EXHIBITS[(index + 1) % EXHIBITS.length], 'the next exhibit');
  const isScript = MISTAKES[id].kind === 'script';
  return (
    <section
      className={styles['card']}
      aria-label={`Bug: ${title}`}
      data-cured={cured || undefined}
      data-script={isScript || undefined}
    >
      <header>
        <h2>
          <small>
            Bug {index + 1} of {EXHIBITS.length}
          </small>{' '}
          {title}
        </h2>
        <div className={styles['ways']}>
          <button type="button" className={fields['button']} aria-pressed={cured} onClick={() => look(id, !cured)}>
            {cured ? 'Back to the mistake' : 'Cure it'}
          </button>
          <button type="button" className={fields['button']} onClick={() => look(next.id, false)}>
            Next bug
          </button>
          <button type="button" className={styles['close']} aria-label="Leave the museum" onClick={leave}>
            ×
          </button>
        </div>
      </header>
      <div className={styles['columns']}>
        <div>
          <h3>{cured ? 'The cure' : 'What was done'}</h3>
          <p>{cured ? cure : mistake}</p>
          <ScrollRegion label="Code of this bug" className={styles['code']}>
            <pre>{(cured ? code.right : code.wrong).join('\n')}</pre>
          </ScrollRegion>
        </div>
        {isScript && (
          <div>
            <h3>What the ranks did</h3>
            <RehearsalView id={id} cured={cured} />
          </div>
        )}
        <div>
          <h3>What PyTorch says</h3>
          <p>{says}</p>
          <h3>What to look at</h3>
          <p>{shows}</p>
          <p className={styles['met']}>
            <Threads words="Met in" threads={met} />
            {met.length > 0 && asked.length > 0 && '; '}
            <Threads words={met.length > 0 ? 'asked about in' : 'Asked about in'} threads={asked} />
          </p>
        </div>
      </div>
    </section>
  );
}

function Threads({ words, threads }: { readonly words: string; readonly threads: readonly string[] }) {
  if (threads.length === 0) return null;
  return (
    <>
      {words}{' '}
      {threads.map((thread, i) => (
        <span key={thread}>
          {i > 0 && ', '}
          <a href={linkTo(thread)} rel="noreferrer" target="_blank">
            {thread}
          </a>
        </span>
      ))}
    </>
  );
}

/** For owner/repository#thread: GitHub redirects from an issue's address to a pull request of that number. */
function linkTo(thread: string): string {
  const [repository, number] = thread.split('#');
  return `https://github.com/${repository}/issues/${number}`;
}
