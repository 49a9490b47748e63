/**
 * Settings that were renamed after links and configurations were recorded. Reads a recording under the new names; the
 * values must be the same. Called by the tests of old links and old configurations.
 */
type Json = Readonly<Record<string, unknown>>;

/**
 * The mesh's axis of replicas was called dp. tp and dpShard were always written, as 1; now they are written only if
 * they are larger.
 */
export function underNewNames(config: unknown): object {
  const { mesh, ...others } = config as Json;
  if (mesh === undefined) return others;
  const { dp, tp: _one, dpShard: _noShards, ...axes } = mesh as Json;
  return { ...others, mesh: { ...axes, ...(dp === undefined ? {} : { dpReplicate: dp }) } };
}
