/** Whether an element is on the screen, in a visible tab: an embed pauses while it is not. */
import { type RefObject, useEffect, useState } from 'react';

export function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(true);
  useEffect(() => {
    if (!element.current) return;
    let onScreen = true;
    const update = () => setSeen(onScreen && document.visibilityState === 'visible');
    const observer = new IntersectionObserver((entries) => {
      onScreen = entries.at(-1)?.isIntersecting ?? true;
      update();
    });
    observer.observe(element.current);
    document.addEventListener('visibilitychange', update);
    return () => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', update);
    };
  }, [element]);
  return seen;
}
