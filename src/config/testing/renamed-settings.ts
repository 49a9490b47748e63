/**
 * Settings that have got another name since it was recorded what links and configurations mean. A recording is read
 * under the new names; its values must be the same. Called by the tests of old links and old configurations.
 */
type Json = Readonly<Record<string, unknown>>;

/**
 * The mesh's axis of replicas was called dp; tp and dpShard were always 1, and now they are written only where they are
 * more.
 */
export function underNewNames(config: unknown): object {
  const { mesh, ...others } = config as Json;
  if (mesh === undefined) return others;
  const { dp, tp: _one, dpShard: _noShards, ...axes } = mesh as Json;
  return { ...others, mesh: { ...axes, ...(dp === undefined ? {} : { dpReplicate: dp }) } };
}
