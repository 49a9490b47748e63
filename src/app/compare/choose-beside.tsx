/**
 * The choice of run B: run A with one setting changed, chosen from a list; settings in run B's own set-up; or a link.
 */
import { useState } from 'react';
import { useStore } from 'zustand';
import { ModePicker } from '../bar/mode-picker';
import { WorldSize } from '../bar/world-size';
import { usePalette } from '../draw/canvas-context';
import { CommitField } from '../fields/commit-field';
import { same } from '../model/families';
import { parseAddress } from '../permalink/permalink';
import { AppContexts } from '../run/app-contexts';
import { Setup } from '../setup/setup';
import { useApp } from '../state/use-app';
import { besideWords } from './beside-link';
import styles from './compare.module.css';
import { suggestionsFor } from './suggestions';
import type { RunComparison } from './use-comparison';

const OWN = 'own';

export function ChooseBeside({ comparison }: { comparison: RunComparison }) {
  const { services } = comparison;
  const run = useApp((app) => app.info?.config ?? app.config);
  const beside = useStore(services.store, (app) => app.config);
  const palette = usePalette();
  const [open, setOpen] = useState(false);
  const suggestions = suggestionsFor(run);
  const chosen = suggestions.findIndex(({ config }) => same(config, beside));
  const commitLink = (text: string) => {
    const cut = text.indexOf('#');
    if (text === '') return undefined;
    if (cut < 0) return 'A link to a run has a # in it.';
    services.controller.apply(parseAddress(text.slice(cut)).config);
    return undefined;
  };
  return (
    <div className={styles['choose']}>
      <label className={styles['choice']}>
        Run B is run A{' '}
        <select
          value={chosen < 0 ? OWN : chosen}
          onChange={(event) => {
            const suggestion = suggestions[Number(event.target.value)];
            if (suggestion) services.controller.apply(suggestion.config);
          }}
        >
          {chosen < 0 && <option value={OWN}>with {besideWords(run, beside) || 'nothing changed'}</option>}
          {suggestions.map(({ words }, index) => (
            <option key={words} value={index}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <details className={styles['settings']} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Settings of run B</summary>
        {open && (
          // A separate form, so that its radio buttons are not grouped with the page's.
          <form aria-label="Settings of run B" onSubmit={(event) => event.preventDefault()}>
            <AppContexts services={services} palette={palette}>
              <ModePicker disabled={false} />
              <WorldSize disabled={false} />
              <CommitField
                label="or by a link"
                text=""
                whenEmpty=""
                title="A link to a run of Lockstep"
                commit={commitLink}
                wide
              />
              <Setup />
            </AppContexts>
          </form>
        )}
      </details>
    </div>
  );
}
