/** The measured numbers of a result, by name, for the comparison of two checkouts (tables-against.mjs). */

/** @param {import('./result.d.ts').Result} result @returns {import('./tables.mjs').Value[]} */
export function valuesOf({ workloads, contenders, figures, presets, studies = [], page }) {
  const titleOf = (/** @type {readonly {id: string, title: string}[]} */ list, /** @type {string} */ id) =>
    list.find((each) => each.id === id)?.title ?? id;
  const ofWorkloads = figures.map(({ workload, contender, summary }) => {
    const unit = workloads.find(({ id }) => id === workload)?.unit ?? '';
    return {
      name: `${titleOf(workloads, workload)}, ${titleOf(contenders, contender)}, ${unit}`,
      value: summary?.median,
    };
  });
  const ofPresets = presets.map(({ title, firstStepMs }) => ({ name: `${title}, first step, ms`, value: firstStepMs }));
  const ofStudies = studies.flatMap(({ result }) =>
    (result?.rows ?? []).flatMap(({ title, values }) =>
      values.map((value, i) => ({ name: `${title}: ${result?.columns[i] ?? ''}`, value })),
    ),
  );
  const ofPage = Object.entries(page ?? {}).flatMap(([name, value]) =>
    typeof value === 'number' ? { name, value } : [],
  );
  const ofPlaying = (page?.playing ?? []).map(({ name, framesPerSecond: value }) => ({
    name: `${name}, frames/s`,
    value,
  }));
  return [...ofWorkloads, ...ofPresets, ...ofStudies, ...ofPage, ...ofPlaying].flatMap(({ name, value }) =>
    value !== undefined && Number.isFinite(value) ? [{ name, value }] : [],
  );
}
