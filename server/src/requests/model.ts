/**
 * The types for questions about one request: the request, the configuration, and the answer of a
 * server.
 *
 * The main function is in decide.ts:
 *
 * decide(request: Request, configuration: RequestConfiguration, server: RequestServer): Answer
 */
import type { FileView } from '../config/files';
import type { ServerSettings } from '../config/model';
import type { Target } from '../config/target';

/** A request of a client. */
export interface Request {
  readonly method: string;
  /** The path with its escapes, without the query. Begins with `/`. */
  readonly path: string;
  /** The text after `?`. Empty if there is none. */
  readonly query: string;
  /** The host name in lower case, without port. Null if the request names none. */
  readonly host: string | null;
  /** The port. Null if the text of the request has neither a port nor a scheme. */
  readonly port: number | null;
  readonly isSecure: boolean;
  /** The address of the client. Null if the user did not give one. */
  readonly from: string | null;
  /**
   * The name of the client in DNS, without a dot at its end. Absent if the user did not give one.
   */
  readonly clientName?: string;
  /** The user of the request, with the right password. Null for a request without a login. */
  readonly user: string | null;
  /** The values of headers. The keys are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * The file to which the URL leads, for a request whose URL is not known. Then no line of the
   * configuration maps the URL. Absent for usual requests.
   */
  readonly assumedFile?: string;
}

/**
 * The server that answers. `2.2` and `2.4-compat` (2.4 with mod_access_compat) read the files as
 * they are. `2.4` reads the files after the conversion.
 */
export type RequestServer = '2.2' | '2.4-compat' | '2.4';

/** All servers, in the order in which answers are listed. */
export const REQUEST_SERVERS: readonly RequestServer[] = ['2.2', '2.4-compat', '2.4'];

/** The files that a server reads, before or after the conversion. */
export interface RequestFiles {
  readonly view: FileView;
  /**
   * Converts an offset in a converted file to the offset in the original file. Absent if these two
   * offsets are always equal.
   */
  readonly originOf?: (file: string, offset: number) => number;
}

/** A configuration with the settings of its server. */
export interface RequestConfiguration {
  /** The path of the main file, with links resolved. */
  readonly mainFile: string;
  readonly files: RequestFiles;
  /** The converted files. Null if nothing is converted. */
  readonly convertedFiles: () => RequestFiles | null;
  readonly server: ServerSettings;
  readonly target: Target;
  /** The user's answer about the MPM of the 2.4 server. Null without an answer. */
  readonly mpm: string | null;
  /**
   * Whether the user answered that the .htaccess file of a directory has no access lines. Its other
   * lines can still deny requests, so this changes only texts.
   */
  readonly hasNoAccessLines?: (directory: string) => boolean;
  /**
   * Whether the user answered that the files which an Include with this path reads have no access
   * lines.
   */
  readonly includesNoAccessLines?: (path: string) => boolean;
}

/**
 * What the server answers. `login`: 401. `denied`: 403. `error`: 500. `granted`: any other status.
 */
export type Access = 'granted' | 'denied' | 'login' | 'error' | 'unknown';

/** A place in a file. `line` is zero-based. */
export interface FileLine {
  readonly file: string;
  readonly line: number;
}

/** A line that decides about a request, with its text. */
export interface Reason extends FileLine {
  readonly text: string;
}

/** The virtual host that answers a request, and why the server chose it. */
export interface AnsweringHost {
  /**
   * The ServerName of the virtual host, or the words of its tag. `main server` if no virtual host
   * answers.
   */
  readonly name: string;
  /**
   * The place of the virtual host's tag, or of the main server's ServerName line. Null for a main
   * server without such a line.
   */
  readonly place: FileLine | null;
  /** Why the server chose this virtual host, as a clause. */
  readonly why: string;
}

/** Where the URL leads. */
export interface RequestTarget {
  readonly kind: 'file' | 'directory' | 'missing' | 'redirect' | 'proxy' | 'handler' | 'refused' | 'unknown';
  /** A path on the server, a URL, or the name of a handler. */
  readonly path: string;
  /** The line that maps the URL. Null if there is none. */
  readonly place: FileLine | null;
}

/** A section or .htaccess file. Rows are in the order in which the server applies them. */
export interface SectionRow extends FileLine {
  /** The tag as written, or the path of the .htaccess file on the server. */
  readonly name: string;
  readonly applies: boolean | 'unknown';
  /**
   * The lines about access in the section, trimmed. For a .htaccess file that is not read: one text
   * that says why.
   */
  readonly adds: readonly string[];
}

/**
 * A fact on which the answer depends, but which the files do not show or this program does not
 * compute.
 */
export interface UnknownFact {
  /** The fact as a clause for users: `whether the server has the module mod_ssl`. */
  readonly what: string;
  /** The line that depends on the fact. Null if there is none. */
  readonly place: FileLine | null;
  /** The directory of the server that would show the fact, if this copy had it. */
  readonly missingDirectory?: string;
  /** Whether the address of the client would show the fact. */
  readonly needsClient?: boolean;
  /**
   * If the fact is about an access file that is missing in this copy: the directory of that file.
   */
  readonly accessFileOf?: string;
  /**
   * The path that an Include line names, if the fact is what the missing files with this path
   * contain; it may have wildcards. For another part that is not read: its name, such as that of a
   * macro.
   */
  readonly includedPath?: string;
  /** The module, by its name in the manual, if the fact is whether the server has it. */
  readonly module?: string;
  /** The name, if the fact is whether the server starts with `-D NAME`. */
  readonly startName?: string;
  /** Whether a part that is not in this copy would show the fact. */
  readonly isOfMissingPart?: true;
}

/** The answer of one server to one request. */
export interface Answer {
  readonly server: RequestServer;
  readonly access: Access;
  /** The lines that decide. Empty if no line does, and the default decides. */
  readonly because: readonly Reason[];
  /** The decision as a clause: `the address is not allowed`. */
  readonly why: string;
  readonly host: AnsweringHost;
  readonly target: RequestTarget;
  readonly sections: readonly SectionRow[];
  /** The facts on which the answer depends, and notes about the answer. */
  readonly unknown: readonly UnknownFact[];
  /**
   * The Allow lines that match the request, although Require lines of 2.4 deny it. The modules
   * mod_access_compat and mod_authz_core must both allow a request. Absent if there are none.
   */
  readonly losing?: LosingAllow<Reason>;
}

/** Order, Allow and Deny lines that allow a request, although a Require line of 2.4 denies it. */
export interface LosingAllow<Line> {
  /** The first Order, Allow or Deny line of the section that has them. */
  readonly line: Line;
  /**
   * The Require line that decides as the Order, Allow and Deny lines of the section do. Null if
   * that takes several lines.
   */
  readonly newLine: string | null;
}
