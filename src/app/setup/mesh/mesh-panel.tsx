/**
 * The mesh of a mode whose ranks are a grid: how many lie along each axis, the picture of it, and what DDP does along
 * the axis of replicas. Fetched when such a mode is set up.
 */

import { meshSizes } from '../../../protocol/mesh-sizes';
import { namesOf } from '../../../protocol/words/algorithms';
import { DDP_MAIN } from '../../../protocol/words/ddp-main';
import { MESH } from '../../../protocol/words/pipeline';
import { withMesh } from '../../edit/edit-config';
import { CommitField } from '../../fields/commit-field';
import { ChoiceSetting, FlagSetting, sentence, TextSetting } from '../../fields/settings';
import { parseNumber } from '../../permalink/permalink-keys';
import { useApp, useController } from '../../state/use-app';
import { parseCap, printCap } from '../cap-text';
import styles from './mesh.module.css';
import { MeshPicture } from './mesh-picture';

const ALGORITHM_WORDS = namesOf('short');

export function MeshPanel() {
  const config = useApp((app) => app.config);
  const controller = useController();
  const { pp, dp } = meshSizes(config);
  const commit = (axis: 'pp' | 'dp') => (text: string) => {
    const edit = withMesh(config, { pp, dp, [axis]: parseNumber(text) ?? Number.NaN });
    if (!edit.ok) return sentence(edit.problem);
    controller.apply(edit.config);
    return undefined;
  };
  const { title, description } = MESH.pp;
  return (
    <>
      <CommitField label={title} title={description} text={String(pp)} commit={commit('pp')} />
      <CommitField label={MESH.dp.title} title={MESH.dp.description} text={String(dp)} commit={commit('dp')} />
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
