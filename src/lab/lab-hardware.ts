/**
 * The machine of the lab: only the two links and the start time of a collective, so that modelled times match the
 * closed forms. Kernels and copies cost nothing.
 */
import { spreadOverNodes } from '../mesh/nodes';
import type { LabRequest } from '../protocol/lab';
import type { Hardware } from '../simulator/hardware';

export function labHardware({
  worldSize,
  nodes,
  link,
  across,
  startUs,
}: Pick<LabRequest, 'worldSize' | 'nodes' | 'link' | 'across' | 'startUs'>): Hardware {
  return {
    id: 'nvlink8',
    label: 'links alone',
    flopsPerSecond: Number.POSITIVE_INFINITY,
    halfFlopsPerSecond: Number.POSITIVE_INFINITY,
    memoryBytesPerSecond: Number.POSITIVE_INFINITY,
    launchUs: 0,
    hostBytesPerSecond: Number.POSITIVE_INFINITY,
    hostSharesLink: false,
    across,
    linkLatencyUs: link.latencyUs,
    linkBytesPerSecond: link.bytesPerSecond,
    nodeOf: spreadOverNodes(worldSize, nodes),
    protocols: [{ name: 'Simple', startUs, inside: link, across }],
  };
}
