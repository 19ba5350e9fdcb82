/** All cases, and those that are not right yet. */
import type { Case, Part } from './case';
import { FOUND } from './found';
import { READ } from './read';
import { WRITTEN } from './written';

export const CASES: readonly Case[] = [...FOUND, ...WRITTEN, ...READ];

/** By name. A test fails when one of them is right, so that it is taken out here. */
export const PENDING: Readonly<Record<string, Part>> = {
  'a part that cannot be written: foreign': 'writer',
  'a part that cannot be written: a hard link': 'writer',
  'a part that cannot be written, and a second run: foreign': 'writer',
  'a part that cannot be written, and a second run: a hard link': 'writer',
  'a .htaccess that cannot be written': 'writer',
  'a file that a comment keeps as it is': 'planner',
  'a preferred quick fix of one section': 'planner',
};
