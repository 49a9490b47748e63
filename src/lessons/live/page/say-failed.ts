/** Writes below a picture that its figure does not run, with a button to try again; the picture stays. */
export function sayFailed(figure: HTMLElement, words: string, retry: () => void): void {
  takeBack(figure);
  const said = document.createElement('div');
  said.className = 'figure-failed';
  said.setAttribute('role', 'alert');
  const text = document.createElement('p');
  text.textContent = `The figure does not run: ${words}`;
  const again = document.createElement('button');
  again.type = 'button';
  again.textContent = 'Try again';
  again.addEventListener('click', () => {
    takeBack(figure);
    retry();
  });
  said.append(text, again);
  figure.querySelector('.figure-static')?.after(said);
}

export const takeBack = (figure: HTMLElement): void => figure.querySelector('.figure-failed')?.remove();
