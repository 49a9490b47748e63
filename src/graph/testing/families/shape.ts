/** The shape operators under test: cases of random inputs, formulas in double precision, and how each torch operator of fixtures/ops.json is said here. */
import type { Maker } from '../case-tools';
import type { Recipe } from '../recipe';
import type { Formula } from '../reference-tools';

export const SHAPE_CASES: Readonly<Record<string, Maker>> = {};

export const SHAPE_REFERENCE: Readonly<Record<string, Formula>> = {};

export const SHAPE_RECIPES: Readonly<Record<string, Recipe>> = {};
