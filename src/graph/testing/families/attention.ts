/** The attention operators under test: cases of random inputs, formulas in double precision, and how each torch operator of fixtures/ops.json is said here. */
import type { Maker } from '../case-tools';
import type { Recipe } from '../recipe';
import type { Formula } from '../reference-tools';

export const ATTENTION_CASES: Readonly<Record<string, Maker>> = {};

export const ATTENTION_REFERENCE: Readonly<Record<string, Formula>> = {};

export const ATTENTION_RECIPES: Readonly<Record<string, Recipe>> = {};
