/**
 * A text in which the first occurrence of each term opens its definition; layers and buckets of a marked sentence have
 * their colours.
 */
import { partsOf } from '../../trace/moments/marked';
import { findTerms } from './find-terms';
import { Term } from './term';
import styles from './worded.module.css';

export function Worded({ marked }: { marked: string }) {
  const seen = new Set<Parameters<typeof Term>[0]['id']>();
  return partsOf(marked).map(({ text, role }, i) => {
    const pieces = findTerms(text, seen).map((piece, k) =>
      piece.term === undefined ? (
        piece.text
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place in the sentence is what a piece is
        <Term key={k} id={piece.term}>
          {piece.text}
        </Term>
      ),
    );
    return role === undefined ? (
      pieces
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <b key={i} className={styles[role]}>
        {pieces}
      </b>
    );
  });
}
