/**
 * The AllowOverride and AllowOverrideList that apply in a directory (set_override in
 * server/core.c).
 */
import type { ConfigLine } from '../config/configuration';
import type { AppliedSection } from './section';
import { wordsOf } from './site';

/** What .htaccess files of a directory may contain. */
export interface Overrides {
  /** The words of AllowOverride in lower case, without `none`. Null if no line sets it. */
  readonly words: readonly string[] | null;
  /** Names of directives that AllowOverrideList allows, in lower case. */
  readonly overrideList: readonly string[];
  /** The last AllowOverride or AllowOverrideList line that applies. Null if there is none. */
  readonly line: ConfigLine | null;
}

/** The state before any AllowOverride line. */
export const NO_OVERRIDE: Overrides = { words: null, overrideList: [], line: null };

/**
 * Returns the AllowOverride and AllowOverrideList that apply in a section. `inheritedOverrides`:
 * those that apply outside of the section.
 */
export function overridesInSection({ lines }: AppliedSection, inheritedOverrides: Overrides): Overrides {
  let { words, overrideList, line } = inheritedOverrides;
  for (const overrideLine of lines) {
    if (overrideLine.line.name === 'allowoverride') {
      const overrideWords = wordsOf(overrideLine).map((word) => word.toLowerCase());
      // `None` cancels the words before it.
      words = overrideWords.slice(overrideWords.lastIndexOf('none') + 1);
      line = overrideLine;
    } else if (overrideLine.line.name === 'allowoverridelist') {
      overrideList = wordsOf(overrideLine)
        .map((word) => word.toLowerCase())
        .filter((word) => word !== 'none');
      line = overrideLine;
    }
  }
  return { words, overrideList, line };
}
