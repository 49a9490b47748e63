/**
 * Settings that have got another name since it was recorded what links and configurations mean. A recording is read
 * under the new names; its values must be the same. Called by the tests of old links and old configurations.
 */
type Json = Readonly<Record<string, unknown>>;

/** The mesh's axis of replicas was called dp; tp was always 1, and now it is written only where it is more. */
export function underNewNames(config: unknown): object {
  const { mesh, ...others } = config as Json;
  if (mesh === undefined) return others;
  const { dp, tp: _one, ...axes } = mesh as Json;
  return { ...others, mesh: { ...axes, ...(dp === undefined ? {} : { dpReplicate: dp }) } };
}
