/** The suggestions of completion, before they become items of the protocol. */
import type { CompletionItemKind } from 'vscode-languageserver-types';
import type { Engine } from '../../analysis/engine';
import type { Model } from '../../config/model';
import type { FileContext } from '../../config/file-context';
import type { Tree } from '../../syntax/document';
import type { Edit } from '../../rules/rule';
import type { Cursor } from '../cursor';
import type { Definitions } from '../../symbols/definitions';
import type { Elsewhere } from '../../symbols/names-elsewhere';

export interface CompletionRequest {
  readonly tree: Tree;
  /** UTF-16 offset of the cursor. */
  readonly offset: number;
  /** The URI of the file, for clients that resolve items later. */
  readonly uri?: string;
  /** The engine that has analyzed the tree. */
  readonly engine: Engine;
  readonly isHtaccess: boolean;
  readonly fileContext?: FileContext | null;
  /** The editor's features for items. */
  readonly client?: { readonly snippets?: boolean; readonly retriggers?: boolean };
  /** The character that triggered completion; undefined for an explicit request. */
  readonly trigger?: string;
  /** Folders, if they may be read. */
  readonly folders?: Folders;
  /** The configurations that read the file, as far as known. */
  readonly models?: readonly Pick<Model, 'serverRoot' | 'map'>[];
  /** The names in their other files. */
  readonly elsewhere?: Elsewhere;
}

/** The access of completion to the disk: names, never contents. */
export interface Folders {
  /** The edited file; absolute, with forward slashes. */
  readonly file: string;
  /** Names in a folder; null if it is no folder. */
  list(path: string): readonly string[] | null;
  kind(path: string): 'file' | 'folder' | null;
}

export interface Suggestion {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** The source, shown at the right of the list. */
  readonly from?: string;
  /** The inserted text, if it is not the label. */
  readonly text?: string;
  /** The inserted text with placeholders, for editors with snippets. */
  readonly snippet?: string;
  /** The text that the editor compares with what the user types. Absent: the label. */
  readonly filter?: string;
  readonly isOld?: true;
  /** Whether there are values to choose after it. */
  readonly goesOn?: true;
  /** The module whose LoadModule line is added; see `Suggestions.loading`. */
  readonly loads?: string;
  /** Further edits in the text before the cursor; offsets in the file. */
  readonly edits?: readonly Edit[];
  /**
   * The sort text of the suggestion, the same in every list. Suggestions with a rank are shared
   * between lists and converted once.
   */
  readonly rank?: string;
  /** Identifies the explanation of the suggestion; see `documentation` in completion.ts. */
  readonly about?: About;
}

export type About =
  /** The directive in the label; `uri`: a file in which its module may have to be loaded. */
  | { readonly named: true; readonly uri?: string }
  | { readonly directive: string }
  | { readonly module: string }
  /** A value of a directive (a section's name with its `<`). */
  | { readonly of: string; readonly word: string }
  | { readonly text: string };

/** Suggestions for one place, the best first. */
export interface Suggestions {
  readonly items: readonly Suggestion[];
  /** The start of the replaced text before the cursor, as an index in `Cursor.before`. */
  readonly start: number;
  /** The number of characters after the cursor in the same word. */
  readonly rest: number;
  /**
   * Whether these are always replaced, because the items contain them: a closing brace, a letter
   * after it.
   */
  readonly takesRest?: boolean;
  /** Whether the editor must request again as the user types. */
  readonly isIncomplete?: boolean;
  /** The LoadModule lines of this file, as places for a new one. */
  readonly loading?: {
    /** Offset in the file of the insertion. */
    readonly offset: number;
    edits(module: string): readonly Edit[];
  };
}

/** The input for completing an argument. */
export interface ValueQuestion {
  readonly request: CompletionRequest;
  readonly cursor: Cursor;
  readonly definitions: Definitions;
  /** The name of the line, in lower case; a section's with its `<`. */
  readonly key: string;
}
