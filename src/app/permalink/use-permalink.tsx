/** The address bar, and the views that a link opens, in React. */
import { createContext, type ReactNode, use } from 'react';
import { must } from '../../base/invariant';
import type { LinkedViews } from './linked-views';
import type { UrlSync } from './url-sync';

interface PermalinkServices {
  readonly urlSync: UrlSync;
  readonly linked: LinkedViews;
}

const PermalinkContext = createContext<PermalinkServices | undefined>(undefined);

export function PermalinkProvider({ permalink, children }: { permalink: PermalinkServices; children: ReactNode }) {
  return <PermalinkContext value={permalink}>{children}</PermalinkContext>;
}

const usePermalink = () => must(use(PermalinkContext), 'AppProvider above this component');
export const useUrlSync = (): UrlSync => usePermalink().urlSync;
export const useLinkedViews = (): LinkedViews => usePermalink().linked;
