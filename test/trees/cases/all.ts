/** All cases, and those that are not right yet. */
import type { Case, Part } from './case';
import { FOUND } from './found';
import { HALF } from './half';
import { LINKED } from './linked';
import { READ } from './read';
import { WRITTEN } from './written';

export const CASES: readonly Case[] = [...FOUND, ...HALF, ...LINKED, ...WRITTEN, ...READ];

/** By name. A test fails when one of them is right, so that it is taken out here. */
export const PENDING: Readonly<Record<string, Part>> = {};
