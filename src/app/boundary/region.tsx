/** One of the page's regions, by its name, with the fence that keeps an error inside it. */
import type { ReactNode } from 'react';
import { Boundary } from './boundary';

interface RegionProps {
  readonly name: 'Stage' | 'Timeline' | 'Set-up' | 'Result' | 'Code';
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

export function Region({ name, className, children }: RegionProps) {
  return (
    <section aria-label={name} className={className}>
      <Boundary what={`The region “${name}”`}>{children}</Boundary>
    </section>
  );
}
