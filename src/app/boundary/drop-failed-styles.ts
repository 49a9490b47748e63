/**
 * Takes a stylesheet's link away when it could not be fetched. Vite fetches a panel's styles by a link and takes one that is there for fetched, also one that
 * failed, so the panel would come without its styles at the next try. Called once by main.tsx.
 */
export function dropFailedStyles(document: Document): void {
  const drop = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement) target.remove();
  };
  // Such errors do not bubble.
  document.addEventListener('error', drop, true);
}
