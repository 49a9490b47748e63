/** The controller in React. */
import { createContext, type ReactNode, use } from 'react';
import { must } from '../../base/invariant';
import type { Controller } from './controller';

const ControllerContext = createContext<Controller | undefined>(undefined);

export function ControllerProvider({ controller, children }: { controller: Controller; children: ReactNode }) {
  return <ControllerContext value={controller}>{children}</ControllerContext>;
}

export const useController = (): Controller => must(use(ControllerContext), 'AppProvider above this component');
