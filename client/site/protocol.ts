/** The messages between the page and its worker. Offsets are UTF-16 units of the file's text. */
import type { Consequence, Severity } from '../../server/src/rules/rule';
import type { Access, RequestTarget } from '../../server/src/requests/model';
import type { PlanQuestion, UpgradePlan } from '../../server/src/analysis/upgrade-plan';

/** Texts by their names, as the user gave them. */
export type Texts = Readonly<Record<string, string>>;

/** What a link to the page holds. */
export interface SharedState {
  readonly files: Texts;
  readonly answers: Readonly<Record<string, string>>;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface TextEdit extends Span {
  readonly text: string;
}

export interface Problem extends Span {
  readonly rule: string;
  readonly severity: Severity;
  readonly consequence: Consequence;
  /** The headline. */
  readonly message: string;
  readonly cause: string | null;
  readonly help: string | null;
  readonly serverText: string | null;
  /** Zero-based. */
  readonly line: number;
  /** Further lines of the same problem. */
  readonly places: readonly Span[];
  readonly fixes: readonly {
    readonly title: string;
    readonly safety: 'safe' | 'suggestion';
    readonly assumes?: string;
  }[];
}

/** `type`: see server/src/features/semantic-tokens.ts; ` deprecated` may follow. */
export interface Token extends Span {
  readonly type: string;
}

/** One table of `Who has access`. Names and cells are HTML, and escaped. */
export interface AccessTable {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly sentenceEnd: string;
  readonly tables: readonly {
    readonly methods: string | null;
    readonly inWords: string;
    readonly head: readonly string[];
    readonly rows: readonly (readonly string[])[];
    readonly isSame: boolean;
  }[];
  readonly convertedLines: string | null;
  readonly remark: string | null;
}

export interface Checked {
  /** In the order of the files. */
  readonly files: readonly { readonly name: string; readonly problems: readonly Problem[] }[];
  /** All files after the fixes. */
  readonly fixed: Texts;
  /** How many fixes `fixed` has. */
  readonly fixes: number;
  /** Whether suggestions would change more than safe fixes. */
  readonly verdict: string;
  readonly summary: UpgradePlan['summary'];
  readonly questions: readonly PlanQuestion[];
  readonly onServer: readonly {
    readonly what: string;
    readonly commands: readonly string[];
    readonly isNote: boolean;
  }[];
  readonly access: readonly AccessTable[];
}

/** The encodings of files that are not UTF-8, by their names. */
export type Encodings = Readonly<Record<string, 'latin1'>>;

export interface Opened {
  readonly files: Texts;
  readonly encodings: Encodings;
  /** Sentences about what was not read. */
  readonly notes: readonly string[];
}

/** A request of the form. Empty texts are not given. */
export interface AskedRequest {
  /** `GET https://www.example.org/admin`, or only the URL or the path. */
  readonly request: string;
  readonly from: string;
  readonly user: string;
  /** One `Name: value` a line. */
  readonly headers: string;
}

/** A line of a file, zero-based. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface RequestAnswer {
  readonly isDifferent: boolean;
  readonly decisions: readonly {
    readonly server: string;
    readonly access: Access;
    readonly answer: string;
    readonly why: string;
    readonly because: readonly (Place & { readonly text: string })[];
  }[];
  /** Several if the servers choose different ones. */
  readonly hosts: readonly {
    readonly servers: string;
    readonly name: string;
    readonly why: string;
    readonly place: Place | null;
  }[];
  readonly target: { readonly kind: RequestTarget['kind']; readonly path: string; readonly place: Place | null };
  readonly sections: readonly (Place & {
    readonly name: string;
    readonly applies: boolean | 'unknown';
    readonly adds: readonly string[];
  })[];
  readonly unknown: readonly { readonly what: string; readonly place: Place | null }[];
}

export interface Completions {
  readonly from: number;
  readonly items: readonly {
    readonly label: string;
    readonly text: string;
    readonly detail: string;
    readonly isOld: boolean;
  }[];
}

/** Each request of the page, with its answer. */
export interface Requests {
  tokens(text: string): readonly Token[];
  check(asked: SharedState & { readonly unsafe: boolean }): Checked;
  /** The edits of a fix, by the names of the files; null if the problem is not there any more. */
  edits(asked: { file: string; problem: number; fix: number }): Readonly<Record<string, readonly TextEdit[]>> | null;
  hover(asked: { file: string; text: string; offset: number }): (Span & { readonly markdown: string }) | null;
  complete(asked: { file: string; text: string; offset: number; isAsked: boolean }): Completions | null;
  /** What the servers answer to a request; a text if the request or the files cannot be asked. */
  request(asked: AskedRequest): RequestAnswer | string;
  /** The files of a drop: configuration, or zip archives with configuration in them. */
  open(given: readonly { name: string; bytes: Uint8Array }[]): Opened;
  pack(state: SharedState): string;
  /** Null if the text is no state. */
  unpack(packed: string): SharedState | null;
  /** One file as it is, several as a zip archive; in their encodings. */
  save(asked: { readonly files: Texts; readonly encodings: Encodings }): Uint8Array;
}

export interface Question<Name extends keyof Requests = keyof Requests> {
  readonly id: number;
  readonly name: Name;
  readonly asked: Parameters<Requests[Name]>[0];
}

export type Reply = { readonly id: number } & ({ readonly answer: unknown } | { readonly error: string });
