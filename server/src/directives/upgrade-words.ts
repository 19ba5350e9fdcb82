/**
 * Options and other words of the manual's pages "Upgrading to 2.4 from 2.2" and "Overview of new
 * features in 2.4" that are no directive or module. The explanations are from these pages, and from
 * the manual's pages of the directives and programs in question.
 */

import { lazy } from '../syntax/memory';

/** A word of the upgrade notes with its explanation. */
export interface UpgradeWord {
  readonly title: string;
  readonly text: string;
}

type UpgradeRow = readonly [words: string, text: string];

/** The words of a row are separated by `|`. Upper and lower case are equal. */
const upgradeRows = lazy(() => require('./data/upgrade-words.json') as readonly UpgradeRow[]);

/**
 * The explanation of a word of the upgrade notes, in upper or lower case; undefined for other
 * terms.
 */
export function explanationOfUpgradeWord(term: string): UpgradeWord | undefined {
  // All conditions of mod_include, such as `<!--#if expr="…" -->`, have one explanation.
  const isCondition = /^(?:<!--)?(?:SSI )?#(?:el)?if\b/i.test(term);
  const wantedTerm = isCondition ? '#if expr' : term.toLowerCase();
  const row = upgradeRows().find(([words]) => words.toLowerCase().split('|').includes(wantedTerm));
  return row && { title: row[0].split('|').find((word) => word.toLowerCase() === wantedTerm)!, text: row[1] };
}
