/** A view's part of a link to an exact state, in React. */
import { useCallback, useEffect, useRef } from 'react';
import type { PanelName } from '../permalink/page-parts';
import type { LinkedView } from './linked-views';
import { useLinkedViews } from './use-address';

export function useLinked(name: string, view: LinkedView): void {
  const views = useLinkedViews();
  const latest = useRef(view);
  latest.current = view;
  useEffect(() => {
    const own: LinkedView = { read: () => latest.current.read(), show: (text) => latest.current.show(text) };
    const leave = views.register(name, own);
    return () => leave();
  }, [views, name]);
}

/** The ref of a `details` whose open state is part of links; the element may be mounted later than its component. */
export function useLinkedDetails(name: PanelName): (element: HTMLDetailsElement | null) => void {
  const details = useRef<HTMLDetailsElement>(null);
  const asked = useRef(false);
  const open = useCallback(() => {
    if (details.current && asked.current) details.current.open = true;
    asked.current &&= details.current === null;
  }, []);
  useLinked(name, {
    read: () => (details.current?.open ? '' : undefined),
    show: () => {
      asked.current = true;
      open();
    },
  });
  return useCallback(
    (element) => {
      details.current = element;
      open();
    },
    [open],
  );
}
