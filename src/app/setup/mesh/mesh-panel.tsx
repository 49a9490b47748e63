/**
 * The mesh of a mode whose ranks are a grid: how many lie along each axis, the picture of it, and what DDP does along
 * the axis of replicas. Fetched when such a mode is set up.
 */

import { LIMITS } from '../../../protocol/config';
import { meshSizes } from '../../../protocol/mesh-sizes';
import { namesOf } from '../../../protocol/words/algorithms';
import { DDP_MAIN } from '../../../protocol/words/ddp-main';
import { MESH } from '../../../protocol/words/pipeline';
import { withMesh } from '../../edit/edit-config';
import { ChoiceSetting, FlagSetting, TextSetting } from '../../fields/settings';
import { useController } from '../../run/use-controller';
import { useApp } from '../../state/use-app';
import { parseCap, printCap } from '../cap-text';
import { AxisSlider } from './axis-slider';
import styles from './mesh.module.css';
import { MeshPicture } from './mesh-picture';

const ALGORITHM_WORDS = namesOf('short');

export function MeshPanel() {
  const config = useApp((app) => app.config);
  const controller = useController();
  const { pp, dp } = meshSizes(config);
  const sized = (axis: 'pp' | 'dp') => (size: number) => {
    const edit = withMesh(config, { pp, dp, [axis]: size });
    if (edit.ok) controller.apply(edit.config);
  };
  const axis = (name: 'pp' | 'dp', other: number) => {
    const { title, description } = MESH[name];
    const most = Math.max(1, Math.floor(LIMITS.worldSize / other));
    return (
      <AxisSlider label={title} title={description} size={name === 'pp' ? pp : dp} most={most} onSize={sized(name)} />
    );
  };
  return (
    <>
      {axis('pp', dp)}
      {axis('dp', pp)}
      <p className={styles['product']}>
        pp × dp: {pp} × {dp} = {pp * dp} {pp * dp === 1 ? 'rank' : 'ranks'}
      </p>
      <MeshPicture pp={pp} dp={dp} />
      {dp > 1 && (
        <>
          <TextSetting {...DDP_MAIN.bucketCapMb} print={printCap} parse={parseCap} />
          <ChoiceSetting {...DDP_MAIN.algorithm} words={ALGORITHM_WORDS} />
          <FlagSetting {...DDP_MAIN.overlap} />
        </>
      )}
    </>
  );
}
