/**
 * The mesh of a mode whose ranks form a grid: the ranks along each axis, a picture of the mesh, and DDP's settings
 * along the axis of replicas. Fetched when such a mode is chosen.
 */

import { FACES } from '../../../parallel/faces';
import { LIMITS } from '../../../protocol/config';
import type { Axis } from '../../../protocol/mesh';
import { meshSizes, openAxis, ranksOf, replicasOf, shardsParameters } from '../../../protocol/mesh-sizes';
import { namesOf } from '../../../protocol/words/algorithms';
import { DDP_MAIN } from '../../../protocol/words/ddp-main';
import { MESH } from '../../../protocol/words/pipeline';
import { withMesh } from '../../edit/edit-split';
import { ChoiceSetting, FlagSetting, TextSetting } from '../../fields/settings';
import { shownAxes } from '../../model/shown-axes';
import { useController } from '../../run/use-controller';
import { useApp } from '../../state/use-app';
import { parseCap, printCap } from '../cap-text';
import { AxisSlider } from './axis-slider';
import styles from './mesh.module.css';
import { MeshPicture, shortName } from './mesh-picture';

const ALGORITHM_WORDS = namesOf('short');

export function MeshPanel() {
  const config = useApp((app) => app.config);
  const controller = useController();
  const axes = FACES[config.mode].axes ?? [];
  const shape = meshSizes(config);
  const ranks = ranksOf(shape);
  const seen = shownAxes(axes, config);
  const sized = (axis: Axis) => (size: number) => {
    const edit = withMesh(config, { [axis]: size });
    if (edit.ok) controller.apply(edit.config);
  };
  const slider = (axis: Axis) => {
    const { title, description } = MESH[axis];
    const most = Math.max(1, Math.floor(LIMITS.worldSize / ranksOf({ ...shape, [axis]: 1 })));
    const size = shape[axis];
    return <AxisSlider key={axis} label={title} title={description} size={size} most={most} onSize={sized(axis)} />;
  };
  return (
    <>
      {axes.map(slider)}
      <p className={styles['product']}>
        {seen.map(shortName).join(' × ')}: {seen.map((axis) => shape[axis]).join(' × ')} = {ranks}{' '}
        {ranks === 1 ? 'rank' : 'ranks'}
      </p>
      <MeshPicture axes={seen} shape={shape} />
      {/* Sharded gradients are not in buckets; their settings are in the panel `sharding`. */}
      {openAxis(config.mode) !== 'dpShard' && !shardsParameters(config) && replicasOf(config) > 1 && (
        <>
          <TextSetting {...DDP_MAIN.bucketCapMb} print={printCap} parse={parseCap} />
          <ChoiceSetting {...DDP_MAIN.algorithm} words={ALGORITHM_WORDS} />
          <FlagSetting {...DDP_MAIN.overlap} />
        </>
      )}
    </>
  );
}
