/** The address bar, and the views that a link opens, in React. */
import { createContext, type ReactNode, use } from 'react';
import { must } from '../../base/invariant';
import type { LinkedViews } from './linked-views';
import type { UrlSync } from './url-sync';

interface AddressServices {
  readonly urlSync: UrlSync;
  readonly linked: LinkedViews;
}

const AddressContext = createContext<AddressServices | undefined>(undefined);

export function AddressProvider({ address, children }: { address: AddressServices; children: ReactNode }) {
  return <AddressContext value={address}>{children}</AddressContext>;
}

const useAddress = () => must(use(AddressContext), 'AppProvider above this component');
export const useUrlSync = (): UrlSync => useAddress().urlSync;
export const useLinkedViews = (): LinkedViews => useAddress().linked;
