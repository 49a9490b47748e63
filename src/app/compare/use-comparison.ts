/**
 * Opens run B when a comparison is shown, and keeps run B and the link in agreement: an edit of run B is written into
 * the link, and a new link is applied to run B. When the comparison is closed, run A pauses where it is and run B ends.
 */
import { useEffect, useState } from 'react';
import type { Config } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import { createLinkedViews } from '../address/linked-views';
import { useUrlSync } from '../address/use-address';
import { useFrames } from '../draw/canvas-context';
import { same } from '../model/families';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import type { AppServices } from '../run/app-contexts';
import { useController } from '../run/use-controller';
import { useApp, useAppStore } from '../state/use-app';
import { parseBeside, printBeside } from './beside-link';
import { createDuo, type Duo } from './duo';
import { openSecondSide } from './side';
import { suggestionsFor } from './suggestions';

export interface RunComparison {
  readonly duo: Duo;
  /** The page's own run, with the views of the comparison instead of the page's. */
  readonly first: AppServices;
  /** Run B. */
  readonly services: AppServices;
}

/** Run B's configuration from the link; without one, the first suggestion. */
function wantedBeside(run: Config, beside: string): { readonly config: Config; readonly notices: readonly Notice[] } {
  const [first] = suggestionsFor(run);
  return beside === '' && first ? { config: first.config, notices: [] } : parseBeside(run, beside);
}

export function useComparison(): RunComparison | undefined {
  const store = useAppStore();
  const controller = useController();
  const frames = useFrames();
  const urlSync = useUrlSync();
  const open = useApp((app) => app.info !== undefined);
  const beside = useApp((app) => app.beside ?? '');
  const run = useApp((app) => app.info?.config);
  const [comparison, setComparison] = useState<RunComparison>();

  useEffect(() => {
    if (!open) return;
    const { config, beside: text = '' } = store.getState();
    const wanted = wantedBeside(config, text);
    const reduced = matchMedia('(prefers-reduced-motion: reduce)');
    const reducedMotion = () => reduced.matches;
    const write = () => {
      store.getState().setView({ beside: printBeside(store.getState().config, second.store.getState().config) });
      urlSync.write();
    };
    const second = openSecondSide({
      config: wanted.config,
      first: config,
      files: controller.lead.files(),
      view: DEFAULT_VIEW,
      frames,
      reducedMotion,
      onRuns: (origin) => {
        if (origin === 'edit') write();
      },
    });
    for (const notice of wanted.notices) second.controller.say(notice);
    const first = { store, controller };
    const duo = createDuo({
      sides: [first, second],
      frames,
      reducedMotion,
      report: (error) =>
        second.controller.say({ level: 'error', id: 'compare', text: String(error), hint: 'Step again to continue.' }),
    });
    setComparison({
      duo,
      first: { store, controller, frames, urlSync, linked: createLinkedViews() },
      services: {
        store: second.store,
        controller: second.controller,
        linked: second.linked,
        frames,
        urlSync: { href: urlSync.href, write, runs: () => undefined },
      },
    });
    return () => {
      duo.end();
      second.end();
      setComparison(undefined);
    };
  }, [open, store, controller, frames, urlSync]);

  useEffect(() => {
    if (!comparison || !run || beside === '') return;
    const { store: second, controller: ofSecond } = comparison.services;
    const wanted = parseBeside(run, beside);
    if (same(wanted.config, second.getState().config)) return;
    ofSecond.apply(wanted.config, 'link');
    for (const notice of wanted.notices) ofSecond.say(notice);
  }, [comparison, run, beside]);
  return comparison;
}
