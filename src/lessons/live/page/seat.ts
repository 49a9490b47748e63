/**
 * Which figure of the page runs: one at a time has the seat, and with it the session. It is the one nearest to the
 * middle of the window among those in view; one that the reader presses something in has it until it leaves the view.
 */
export interface FigurePlace {
  readonly id: string;
  /** From the top of the window, in CSS pixels. */
  readonly top: number;
  readonly bottom: number;
}

/** So much of a figure, or of the window, must be covered for it to be in view. */
const LEAST_PART = 0.35;

function inView({ top, bottom }: FigurePlace, height: number): boolean {
  const seen = Math.min(bottom, height) - Math.max(top, 0);
  return seen > 0 && seen >= LEAST_PART * Math.min(bottom - top, height);
}

/** 0 where it covers the middle. */
function fromMiddle({ top, bottom }: FigurePlace, height: number): number {
  const middle = height / 2;
  if (top <= middle && middle <= bottom) return 0;
  return Math.min(Math.abs(top - middle), Math.abs(bottom - middle));
}

/** `claimed`: has it while it is in view. */
export function seatFor(places: readonly FigurePlace[], height: number, claimed?: string): string | undefined {
  const seen = places.filter((place) => inView(place, height));
  if (seen.some(({ id }) => id === claimed)) return claimed;
  const [nearest] = seen.sort((a, b) => fromMiddle(a, height) - fromMiddle(b, height));
  return nearest?.id;
}

export interface Seat {
  readonly holder: string | undefined;
  /** Looks who has it now. */
  update(): void;
  /** The reader does something in this figure. */
  claim(id: string): void;
}

export interface SeatOptions {
  readonly places: () => readonly FigurePlace[];
  /** Of the window; 0 while nobody looks at it. */
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
