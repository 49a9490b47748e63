/**
 * The part of a link to an exact state for views whose state is not in the store: open panels, the timeline's zoom.
 * Each view registers by name while it is on the page; a view that appears later gets its requested state then.
 * main.tsx makes one.
 */
export interface LinkedView {
  /** Undefined if the view is in its initial state. */
  read(): string | undefined;
  show(text: string): void;
}

export interface LinkedViews {
  /** Returns a function that removes the view. */
  register(name: string, view: LinkedView): () => void;
  read(): ReadonlyMap<string, string>;
  /** Sets the state of each view, by name; a view that is not on the page yet gets it when it appears. */
  ask(shown: ReadonlyMap<string, string>): void;
}

export function createLinkedViews(): LinkedViews {
  const views = new Map<string, LinkedView>();
  let asked = new Map<string, string>();
  const answer = (name: string): void => {
    const text = asked.get(name);
    const view = views.get(name);
    if (text === undefined || !view) return;
    asked.delete(name);
    view.show(text);
  };
  return {
    register(name, view) {
      views.set(name, view);
      answer(name);
      return () => {
        if (views.get(name) === view) views.delete(name);
      };
    },
    read() {
      const shown = [...views].map(([name, view]) => [name, view.read()] as const);
      return new Map(shown.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])));
    },
    ask(shown) {
      asked = new Map(shown);
      for (const name of shown.keys()) answer(name);
    },
  };
}
