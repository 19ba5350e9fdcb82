/**
 * Snippets: whole sections and groups of lines with placeholders. They are offered like names of
 * directives, where their lines are allowed, and never among the values of a directive, where
 * editors show snippets of files. They are data/snippets.json.
 */
import { lazy } from '../../syntax/memory';

export interface Snippet {
  /** The label that the user types. */
  readonly label: string;
  readonly description: string;
  /**
   * The directives of its outermost lines, in lower case, a section's with `<`: all of them must be
   * allowed in the place.
   */
  readonly needs: readonly string[];
  /** In the syntax of LSP's snippets, a tab for each level of indentation. */
  readonly body: readonly string[];
}

export const allSnippets = lazy(() => require('./data/snippets.json') as readonly Snippet[]);
