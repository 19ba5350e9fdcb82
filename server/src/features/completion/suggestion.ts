/** What completion offers, before it is put into the protocol's words. */
import type { CompletionItemKind } from 'vscode-languageserver-types';
import type { Engine } from '../../analysis/engine';
import type { Model } from '../../config/model';
import type { Surroundings } from '../../config/file-context';
import type { Tree } from '../../syntax/document';
import type { Edit } from '../../rules/rule';
import type { Cursor } from '../cursor';
import type { Definitions } from '../../symbols/definitions';
import type { Elsewhere } from '../../symbols/names-elsewhere';

export interface CompletionRequest {
  readonly tree: Tree;
  /** UTF-16 offset of the cursor. */
  readonly offset: number;
  /** Of the file, for clients that ask again for what comes with an item. */
  readonly uri?: string;
  /** Has analyzed the tree. */
  readonly engine: Engine;
  readonly isHtaccess: boolean;
  readonly surroundings?: Surroundings | null;
  /** What the editor can do with an item. */
  readonly client?: { readonly snippets?: boolean; readonly retriggers?: boolean };
  /** The character that asked, where a person did not. */
  readonly trigger?: string;
  /** Folders, where they may be read. */
  readonly folders?: Folders;
  /** The configurations that read the file, as far as they are known. */
  readonly models?: readonly Pick<Model, 'serverRoot' | 'map'>[];
  /** What their other files define. */
  readonly elsewhere?: Elsewhere;
}

/** What completion reads of the disk: names, never contents. */
export interface Folders {
  /** The file that is edited; absolute, with forward slashes. */
  readonly file: string;
  /** Names in a folder, null where it is none. */
  list(path: string): readonly string[] | null;
  kind(path: string): 'file' | 'folder' | null;
}

export interface Suggestion {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** At the right of the list: where it comes from. */
  readonly from?: string;
  /** What is inserted, where it is not the label. */
  readonly text?: string;
  /** The same with places to fill in, for editors that can. */
  readonly snippet?: string;
  /** What is compared with what the person typed, where it is not the label. */
  readonly filter?: string;
  readonly isOld?: true;
  /** There is something to choose behind it. */
  readonly goesOn?: true;
  /** The module whose LoadModule line comes with it; see `Suggestions.loading`. */
  readonly loads?: string;
  /** What changes with it in the text before the cursor; offsets in the file. */
  readonly edits?: readonly Edit[];
  /** Its place in every list that it is in. Whoever has one is the same from list to list, and put into the protocol's words once. */
  readonly rank?: string;
  /** What explains it; see `documentation` in completion.ts. */
  readonly about?: About;
}

export type About =
  /** The directive that the label says; `uri` of a file in which its module may have to be loaded. */
  | { readonly named: true; readonly uri?: string }
  | { readonly directive: string }
  | { readonly module: string }
  /** A value of a directive (a section's name with its `<`). */
  | { readonly of: string; readonly word: string }
  | { readonly text: string };

/** Suggestions for one place, best first. */
export interface Suggestions {
  readonly items: readonly Suggestion[];
  /** How much before the cursor an item replaces, as an index in `Cursor.before`. */
  readonly start: number;
  /** How many characters behind the cursor belong to the same word. */
  readonly rest: number;
  /** Whether these go in any case, because the items bring what they are: a closing brace, a letter behind it. */
  readonly takesRest?: boolean;
  /** Whether the editor is to ask again as the person types on. */
  readonly isIncomplete?: boolean;
  /** Where modules are loaded in this file. */
  readonly loading?: {
    /** Offset in the file of what is put in. */
    readonly offset: number;
    edits(module: string): readonly Edit[];
  };
}

/** What is asked about an argument. */
export interface ValueQuestion {
  readonly request: CompletionRequest;
  readonly cursor: Cursor;
  readonly definitions: Definitions;
  /** Of the line, in lower case; a section's with its `<`. */
  readonly key: string;
}
