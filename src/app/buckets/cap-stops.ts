/**
 * The stops of the slider for bucket_cap_mb: powers of two from 0.25 KiB to 25 MiB with one value between each two,
 * then PyTorch's default. Pure.
 */
const KIB = 1 / 1024;
const MOST_MB = 25;

/** In MiB; undefined, the last stop, is the default: 1 MiB for the first bucket, then 25 MiB. */
export const CAP_STOPS: readonly (number | undefined)[] = [...powers(), MOST_MB, undefined];

function powers(): readonly number[] {
  const stops: number[] = [];
  for (let cap = KIB / 4; cap < MOST_MB; cap *= 2)
    for (const stop of [cap, 1.5 * cap]) if (stop < MOST_MB) stops.push(stop);
  return stops;
}

/** The stop closest to a cap by ratio. */
export function stopOf(cap: number | undefined): number {
  if (cap === undefined) return CAP_STOPS.length - 1;
  const away = (stop: number | undefined) =>
    stop === undefined ? Number.POSITIVE_INFINITY : Math.abs(Math.log(stop / cap));
  return CAP_STOPS.reduce<number>((best, stop, i) => (away(stop) < away(CAP_STOPS[best]) ? i : best), 0);
}

export const capText = (cap: number | undefined): string => {
  if (cap === undefined) return 'default';
  return cap < 1 ? `${Number((cap * 1024).toPrecision(4))} KiB` : `${Number(cap.toPrecision(4))} MiB`;
};
