/**
 * What axis tp adds to a mesh on which another axis decides the step: the plan, its notices, and the part of the graph
 * that each rank computes. Nothing if tp is 1. Called by the modes pipeline and sharded.
 */
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import type { NoticeInput } from '../facets/mode-checks';
import type { ModeInput } from '../mode-input';
import type { PartitionOf } from '../partition-pass';
import { partitionOf } from '../step/partition-of';
import { settlePlan } from './check-plan';
import { cutNotices } from './notices';
import { planIn } from './plan';

const hasCuts = (config: Config): boolean => meshSizes(config).tp > 1;

/** The configuration with its plan, if layers are cut. `input`: with the settings of DDP that apply. */
export const withCuts = (input: ModeInput): Config => (hasCuts(input.config) ? settlePlan(input) : input.config);

export const noticesOfCuts = (input: NoticeInput): readonly Notice[] =>
  hasCuts(input.config) ? cutNotices(input) : [];

/** The part of each rank, for a settled configuration; undefined: whole tensors. */
export const partsOfRanks = (config: Config, mesh: DeviceMesh): PartitionOf | undefined =>
  hasCuts(config) ? partitionOf(planIn(config), mesh) : undefined;
