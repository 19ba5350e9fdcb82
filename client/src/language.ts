/**
 * The id of the language in the editor. The names in this file must be the same in the extension,
 * its manifest and the server.
 */
export const LANGUAGE = 'apacheconf';

/** The name before all settings, commands and requests of this extension. */
export const SECTION = 'httpdUpgrade';

/**
 * The source of our diagnostics. The next value is the message of the related lines of a problem
 * (server/src/features/diagnostics.ts).
 */
export const SOURCE = 'httpd-upgrade';
export const SAME_PROBLEM = 'belongs to the same problem';

/** The kind of code actions that silence a rule (server/src/features/fewer-actions.ts). */
export const IGNORE_KIND = 'quickfix.httpdUpgrade.ignore';

/**
 * The requests and notifications between our client and the server that the protocol does not have.
 */
export const Requests = {
  /** Client to server: `{ rule }` -> `{ title, markdown } | null`, the page of a rule. */
  rulePage: `${SECTION}/rulePage`,
  /** Client to server: -> `{ id, title }[]`, all rules. */
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
   * Client to server: `{ commands }`, all commands that the user has ticked off as run on the
   * server. The problems that they solve are not reported any more.
   */
  ran: `${SECTION}/ran`,
  /**
   * Server to client: `{ uri }` -> `{ content, size }` with the bytes in base64, or `{ error }`.
   */
  readFile: `${SECTION}/readFile`,
  /**
   * Server to client, if only the client has the files: writes a file. `{ uri, content }` with the
   * bytes in base64 -> `{}`, or `{ error }`.
   */
  writeFile: `${SECTION}/writeFile`,
  /** Server to client: -> `{ uris }`, the workspace's files that may be httpd configuration. */
  findFiles: `${SECTION}/findFiles`,
  /** Server to client: `{ uri }` -> `{ kind }`, which is `file`, `folder` or null. */
  look: `${SECTION}/look`,
  /**
   * Server to client: `{ uri }` of a folder -> `{ names }`, each with its kind; null if it is no
   * folder.
   */
  list: `${SECTION}/list`,
  /**
   * Client to server: `{ uri }` -> what the configurations of a file include, as rows: see
   * server/src/features/include-tree.ts.
   */
  includeTree: `${SECTION}/includeTree`,
  /**
   * Client to server: -> the upgrade plan of the workspace, see server/src/lsp/plans.ts; or `{
   * nothing }`, why there is none.
   */
  plan: `${SECTION}/plan`,
  /**
   * Client to server: `{ format: 'markdown' | 'html', tasks, ticked, most }` (`AskedReport` in
   * server/src/lsp/plans.ts) -> `{ text }`, the report of the upgrade; or `{ nothing }`, why there
   * is none.
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
   * Client to server: plans a change. `{ uri? }` -> the plan for the configuration of the file
   * (without it, for all), `{ fix }` -> that for a fix, `{ ready }` -> that for ready fixes of the
   * upgrade plan; or `{ nothing }`, why there is none.
   */
  planConversion: `${SECTION}/planConversion`,
  /** Client to server: applies the plan with this `{ id }` -> the outcome. */
  applyConversion: `${SECTION}/applyConversion`,
  /**
   * Client to server: `{ id }` of a plan -> `{ text }`, which clients gain or lose access by it.
   */
  whoGains: `${SECTION}/whoGains`,
  /** Client to server: `{ id? }` -> undoes the plan with this id, or the last one. */
  undoConversion: `${SECTION}/undoConversion`,
} as const;
