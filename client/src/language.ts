/**
 * The id of the language in the editor. The names in this file must be the same in the extension,
 * its manifest and the server.
 */
export const LANGUAGE = 'apacheconf';

/** The section of the settings, and the prefix of commands and of our own requests. */
export const SECTION = 'httpdUpgrade';

/**
 * The source of diagnostics, and the message of each further line of a problem
 * (server/src/features/diagnostics.ts).
 */
export const SOURCE = 'httpd-upgrade';
export const SAME_PROBLEM = 'belongs to the same problem';

/** The kind of code actions that silence one rule (server/src/features/fewer-actions.ts). */
export const IGNORE_KIND = 'quickfix.httpdUpgrade.ignore';

/** Our requests and notifications, beyond the protocol. */
export const Requests = {
  /** Client to server: `{ rule }` -> `{ title, markdown } | null`. */
  rulePage: `${SECTION}/rulePage`,
  /** Client to server: -> `{ id, title }[]`. */
  rules: `${SECTION}/rules`,
  /**
   * Client to server: `{ uri }` -> `{ target, project }`: the version a file is checked for, and
   * the `.httpd-upgrade.json` that sets it, or null.
   */
  target: `${SECTION}/target`,
  /**
   * Client to server: `{ uri, position }` after a typed `>` -> `{ tag }`, the closing tag to insert
   * after it, or null.
   */
  closingTag: `${SECTION}/closingTag`,
  /** Server to client: settings have changed, including those in `.httpd-upgrade.json`. */
  settingsChanged: `${SECTION}/settingsChanged`,
  /** Client to server: the user has trusted the workspace after the server's start. */
  trusted: `${SECTION}/trusted`,
  /**
   * Client to server: `{ commands }`, all that the user has ticked off as run on the server: the
   * problems that they solve are not reported any more.
   */
  ran: `${SECTION}/ran`,
  /**
   * Server to client: `{ uri }` -> `{ content, size }` with the bytes in base64, or `{ error }`.
   */
  readFile: `${SECTION}/readFile`,
  /**
   * Server to client, if only the client has the files: `{ uri, content }` with the bytes in base64
   * -> `{}`, or `{ error }`.
   */
  writeFile: `${SECTION}/writeFile`,
  /** Server to client: -> `{ uris }`, the workspace's files that may be httpd configuration. */
  findFiles: `${SECTION}/findFiles`,
  /** Server to client: `{ uri }` -> `{ kind }`: `file`, `folder` or null. */
  look: `${SECTION}/look`,
  /**
   * Server to client: `{ uri }` -> `{ names }` of a folder, each with its kind; null if it is no
   * folder.
   */
  list: `${SECTION}/list`,
  /**
   * Client to server: `{ uri }` -> the configurations of a file as rows, see
   * server/src/features/include-tree.ts.
   */
  includeTree: `${SECTION}/includeTree`,
  /**
   * Client to server: -> the upgrade plan of the workspace, see server/src/lsp/plans.ts; or `{
   * nothing }` with the reason.
   */
  plan: `${SECTION}/plan`,
  /**
   * Client to server: `{ format: 'markdown' | 'html', tasks, ticked, most }` (`AskedReport` in
   * server/src/lsp/plans.ts) -> `{ text }`, the report of the upgrade; or `{ nothing }` with the
   * reason.
   */
  report: `${SECTION}/report`,
  /**
   * Client to server: `{ uri, httpd }` of a main file and the program ('' to search for it) -> the
   * messages of a real httpd, see server/src/lsp/verify.ts.
   */
  verify: `${SECTION}/verify`,
  /** Server to client: the plan has changed. */
  planChanged: `${SECTION}/planChanged`,
  /**
   * Client to server: `{ uri? }` -> the plan for the configuration of the file (for all if there is
   * none), `{ fix }` -> that of a fix, `{ ready }` -> that of ready fixes of the upgrade plan; or
   * `{ nothing }` with the reason.
   */
  planConversion: `${SECTION}/planConversion`,
  /** Client to server: `{ id }` of a plan -> the result of applying it. */
  applyConversion: `${SECTION}/applyConversion`,
  /** Client to server: `{ id }` of a plan -> `{ text }`, who gains and who loses access by it. */
  whoGains: `${SECTION}/whoGains`,
  /** Client to server: `{ id? }` -> undoes that change, or the last one. */
  undoConversion: `${SECTION}/undoConversion`,
} as const;
