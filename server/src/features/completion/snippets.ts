/**
 * Snippets: whole sections and groups of lines with placeholders. They are suggested like names of
 * directives, where their lines are allowed, and never as the value of a directive. The texts are
 * in data/snippets.json.
 */
import { lazy } from '../../syntax/memory';

/** A template of one or more lines that the user can insert. */
export interface Snippet {
  /** The label that the user types. */
  readonly label: string;
  /** What the snippet is for, as the editor shows it. */
  readonly description: string;
  /**
   * The directives of the snippet's outermost lines, in lower case; sections begin with `<`. The
   * snippet is offered only where all of them are allowed.
   */
  readonly requiredDirectives: readonly string[];
  /** The text in the syntax of LSP snippets, with a tab for each level of indentation. */
  readonly body: readonly string[];
}

/** All snippets; the file is read at the first call. */
export const allSnippets = lazy(() => require('./data/snippets.json') as readonly Snippet[]);
