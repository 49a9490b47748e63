/**
 * What a link to an exact state says about views that keep to themselves what they show: panels that are open, the
 * timeline's zoom. Each registers by name while it is on the page; one that comes later finds what was asked of it.
 * main.tsx makes one.
 */
export interface LinkedView {
  /** Undefined: as it is from the beginning. */
  read(): string | undefined;
  show(text: string): void;
}

export interface LinkedViews {
  /** What it returns takes the view away. */
  register(name: string, view: LinkedView): () => void;
  read(): ReadonlyMap<string, string>;
  /** Of each view by its name; what is not on the page yet, when it comes. */
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
