/** One of the page's regions, by its name, with an error boundary around it. */
import type { ReactNode } from 'react';
import { Boundary } from './boundary';

interface RegionProps {
  readonly name: 'Stage' | 'Timeline' | 'Set-up' | 'Result' | 'Code';
  readonly className?: string | undefined;
  /** The id of a sheet that a button of the bar opens; left out where the region is always in view. */
  readonly sheet?: string | undefined;
  readonly children: ReactNode;
}

export function Region({ name, className, sheet, children }: RegionProps) {
  return (
    <section aria-label={name} data-part className={className} id={sheet} popover={sheet && 'auto'}>
      <Boundary what={`The region “${name}”`}>{children}</Boundary>
    </section>
  );
}
