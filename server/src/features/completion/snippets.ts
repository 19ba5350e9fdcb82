/**
 * Snippets: whole sections and groups of lines with placeholders. They are suggested like names of
 * directives, where their lines are allowed, and never as the value of a directive. The texts are
 * in data/snippets.json.
 */
import { lazy } from '../../syntax/memory';

export interface Snippet {
  /** The label that the user types. */
  readonly label: string;
  readonly description: string;
  /**
   * The directives of the snippet's outermost lines, in lower case; sections begin with `<`. The
   * snippet is offered only where all of them are allowed.
   */
  readonly requiredDirectives: readonly string[];
  /** The text in the syntax of LSP snippets, with a tab for each level of indentation. */
  readonly body: readonly string[];
}

export const allSnippets = lazy(() => require('./data/snippets.json') as readonly Snippet[]);
