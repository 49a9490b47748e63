/**
 * The one animation-frame scheduler of the page. A drawer (stage, timeline, decision field) asks for a frame when what
 * it shows has changed; an animator (the player) is called every frame, before the drawers, for as long as it returns
 * true. Nothing runs while nothing changes. In a hidden tab frames stop by themselves; training does not, it lives in a
 * worker.
 */
export type Draw = (nowMs: number) => void;
/** Advances something by the time since its last call; returns whether it wants another frame. */
export type Animate = (nowMs: number, elapsedMs: number) => boolean;

export interface Frames {
  /**
   * Registers a drawer and draws it in the next frame. The returned handle asks for another frame, or ends it. Errors
   * of the drawer go to `onError`, and the other drawers go on.
   */
  drawer(
    draw: Draw,
    onError?: (error: unknown) => void,
  ): { readonly request: () => void; readonly dispose: () => void };
  /** Runs an animator from the next frame on, until it returns false. The returned function ends it early. */
  animate(animator: Animate): () => void;
}

/**
 * After this time a frame starts no further drawer, because the browser then needs about as long, in the same task, to
 * put the drawings on the screen.
 */
const DRAW_BUDGET_MS = 6;

/** `requestFrame` is the browser's requestAnimationFrame; tests give their own. */
export function createFrames(requestFrame: (callback: (nowMs: number) => void) => unknown): Frames {
  const drawers = new Map<Draw, (error: unknown) => void>();
  const dirty = new Set<Draw>();
  const animators = new Map<Animate, number | undefined>();
  let scheduled = false;

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    requestFrame(tick);
  };

  const tick = (nowMs: number) => {
    scheduled = false;
    for (const [animator, last] of [...animators]) {
      if (!animators.has(animator)) continue;
      // One frame counts for at most a tenth of a second, so that animations do not leap after the tab was hidden.
      const elapsed = last === undefined ? 0 : Math.min(nowMs - last, 100);
      let goesOn = false;
      try {
        goesOn = animator(nowMs, elapsed);
      } catch (error) {
        reportError(error);
      }
      if (!goesOn) animators.delete(animator);
      else if (animators.has(animator)) animators.set(animator, nowMs);
    }
    const began = performance.now();
    for (const draw of [...dirty]) {
      // The remaining drawers come first in the next frame: two heavy drawers must not make one long task.
      if (performance.now() - began > DRAW_BUDGET_MS) break;
      dirty.delete(draw);
      const onError = drawers.get(draw);
      if (!onError) continue;
      try {
        draw(nowMs);
      } catch (error) {
        onError(error);
      }
    }
    if (animators.size > 0 || dirty.size > 0) schedule();
  };

  return {
    drawer(draw, onError = (error) => reportError(error)) {
      drawers.set(draw, onError);
      const request = () => {
        dirty.add(draw);
        schedule();
      };
      request();
      return {
        request,
        dispose: () => {
          drawers.delete(draw);
          dirty.delete(draw);
        },
      };
    },
    animate(animator) {
      if (!animators.has(animator)) animators.set(animator, undefined);
      schedule();
      return () => animators.delete(animator);
    },
  };
}
