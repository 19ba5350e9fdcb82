/**
 * The types of completion: the request, and the suggestions before they become items of the
 * protocol.
 */
import type { CompletionItemKind } from 'vscode-languageserver-types';
import type { Engine } from '../../analysis/engine';
import type { Model } from '../../config/model';
import type { FileContext } from '../../config/file-context';
import type { Tree } from '../../syntax/document';
import type { Edit } from '../../rules/rule';
import type { Cursor } from '../cursor';
import type { Definitions } from '../../symbols/definitions';
import type { NamesInOtherFiles } from '../../symbols/names-elsewhere';

/** A request for the completion list at a place in a file. */
export interface CompletionRequest {
  readonly tree: Tree;
  /** UTF-16 offset of the cursor. */
  readonly offset: number;
  /** The URI of the file, for clients that request the edits of an item later. */
  readonly uri?: string;
  /** The engine that has analyzed the tree. */
  readonly engine: Engine;
  /** Whether a server reads the file as a .htaccess file. */
  readonly isHtaccess: boolean;
  /** The facts from the configuration that reads the file; null or undefined if none are known. */
  readonly fileContext?: FileContext | null;
  /** What the client supports. */
  readonly client?: { readonly supportsSnippets?: boolean; readonly retriggers?: boolean };
  /** The character that triggered completion; undefined for an explicit request. */
  readonly triggerCharacter?: string;
  /** Access to folders; undefined if they may not be read. */
  readonly folders?: Folders;
  /** The configurations that read the file, as far as known. */
  readonly configurationModels?: readonly Pick<Model, 'serverRoot' | 'pathMap'>[];
  /** The names that the other files of `configurationModels` define and use. */
  readonly namesInOtherFiles?: NamesInOtherFiles;
}

/** What completion may read from the disk: the names of files, and never their contents. */
export interface Folders {
  /** The path of the edited file; absolute, with forward slashes. */
  readonly file: string;
  /** The names in a folder; null if the path is no folder. */
  list(path: string): readonly string[] | null;
  /** Whether a path is a file or a folder; null if neither exists. */
  kind(path: string): 'file' | 'folder' | null;
}

/** One entry of the completion list. */
export interface Suggestion {
  /** The text of the entry in the list. */
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** The origin of the name, such as its module. The editor shows it at the right of the list. */
  readonly source?: string;
  /** The text to insert; undefined if it is the label. */
  readonly text?: string;
  /** The text to insert with placeholders, for editors with snippets. */
  readonly snippet?: string;
  /** The text that the editor compares with what the user types; undefined if it is the label. */
  readonly filter?: string;
  /**
   * Set if the name is deprecated or not in the target version: the list shows it struck through.
   */
  readonly isOld?: true;
  /** Set if the user can choose something after this word, so that the next list opens. */
  readonly opensNextList?: true;
  /**
   * The module whose LoadModule line is added to the file; see `Suggestions.loadModuleInsertion`.
   */
  readonly moduleToLoad?: string;
  /** Further edits before the cursor. Their offsets count from the start of the file. */
  readonly edits?: readonly Edit[];
  /**
   * The sort text of the suggestion, the same in every list. Suggestions with a rank are shared
   * between lists and converted once.
   */
  readonly rank?: string;
  /** What the explanation of the suggestion is about; see `documentation` in completion.ts. */
  readonly explainedSubject?: SuggestionSubject;
}

/** What the explanation of a suggestion is about. */
export type SuggestionSubject =
  /**
   * The explanation is about the directive in the label. `uri` is set if this file may have to load
   * the directive's module.
   */
  | { readonly named: true; readonly uri?: string }
  | { readonly directive: string }
  | { readonly module: string }
  /** The value `word` of the directive `of`. The name of a section begins with `<`. */
  | { readonly of: string; readonly word: string }
  | { readonly text: string };

/** Suggestions for one place, the best first. */
export interface Suggestions {
  readonly items: readonly Suggestion[];
  /** The start of the replaced text before the cursor, as an index in `Cursor.textBefore`. */
  readonly start: number;
  /** The number of characters after the cursor that belong to the same word. */
  readonly restLength: number;
  /**
   * Whether the text after the cursor is replaced even if the user chooses to insert. The items
   * contain these characters, such as a closing brace.
   */
  readonly alwaysReplacesRest?: boolean;
  /** Whether the editor must request a new list when the user types more. */
  readonly isIncomplete?: boolean;
  /** How to add a LoadModule line to this file. Absent if no suggestion needs one. */
  readonly loadModuleInsertion?: {
    /** The offset in the file where the line is inserted. */
    readonly offset: number;
    edits(module: string): readonly Edit[];
  };
}

/** What the functions that complete an argument need. */
export interface ValueQuestion {
  readonly request: CompletionRequest;
  readonly cursor: Cursor;
  /** The names that the file defines. */
  readonly definitions: Definitions;
  /** The name of the directive in lower case. The name of a section begins with `<`. */
  readonly directiveKey: string;
}
