/**
 * Decides which figure of the page runs: one figure at a time has the seat, and with it the session. Of the figures in
 * view, it is the one nearest to the middle of the window; a figure in which the reader presses something keeps the
 * seat until it leaves the view.
 */
export interface FigurePlace {
  readonly id: string;
  /** From the top of the window, in CSS pixels. */
  readonly top: number;
  readonly bottom: number;
}

/** A figure is in view if at least this part of it is visible, or if it covers this part of the window. */
const LEAST_PART = 0.35;

function inView({ top, bottom }: FigurePlace, height: number): boolean {
  const seen = Math.min(bottom, height) - Math.max(top, 0);
  return seen > 0 && seen >= LEAST_PART * Math.min(bottom - top, height);
}

/** 0 if the figure covers the middle. */
function fromMiddle({ top, bottom }: FigurePlace, height: number): number {
  const middle = height / 2;
  if (top <= middle && middle <= bottom) return 0;
  return Math.min(Math.abs(top - middle), Math.abs(bottom - middle));
}

/** `claimed`: a figure that has the seat while it is in view. */
export function seatFor(places: readonly FigurePlace[], height: number, claimed?: string): string | undefined {
  const seen = places.filter((place) => inView(place, height));
  if (seen.some(({ id }) => id === claimed)) return claimed;
  const [nearest] = seen.sort((a, b) => fromMiddle(a, height) - fromMiddle(b, height));
  return nearest?.id;
}

export interface Seat {
  readonly holder: string | undefined;
  /** Decides again which figure has the seat. */
  update(): void;
  /** The reader does something in this figure. */
  claim(id: string): void;
}

export interface SeatOptions {
  readonly places: () => readonly FigurePlace[];
  /** Height of the window; 0 while the page is hidden. */
  readonly height: () => number;
  readonly onChange: (holder: string | undefined, before: string | undefined) => void;
}

export function createSeat({ places, height, onChange }: SeatOptions): Seat {
  let holder: string | undefined;
  let claimed: string | undefined;
  const update = () => {
    const next = seatFor(places(), height(), claimed);
    if (next !== claimed) claimed = undefined;
    if (next === holder) return;
    const before = holder;
    holder = next;
    onChange(next, before);
  };
  return {
    get holder() {
      return holder;
    },
    update,
    claim(id) {
      claimed = id;
      update();
    },
  };
}
