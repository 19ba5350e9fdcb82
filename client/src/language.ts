/**
 * The id of the language in the editor. The names in this file must be the same in the extension,
 * its manifest and the server.
 */
export const LANGUAGE = 'apacheconf';

/** The name before all settings, commands and requests of this extension. */
export const NAME_PREFIX = 'httpdUpgrade';

/** The source of our diagnostics. */
export const DIAGNOSTIC_SOURCE = 'httpd-upgrade';
/**
 * The message with which a diagnostic names a further line of the same problem, as related
 * information.
 */
export const SAME_PROBLEM_MESSAGE = 'belongs to the same problem';

/** The kind of code actions that silence a rule (server/src/features/fewer-actions.ts). */
export const IGNORE_KIND = 'quickfix.httpdUpgrade.ignore';

/**
 * The requests and notifications between our client and the server that the protocol does not have.
 */
export const Requests = {
  /** Client to server: `{ rule }` -> `{ title, markdown } | null`, the page of a rule. */
  rulePage: `${NAME_PREFIX}/rulePage`,
  /** Client to server, no parameters -> `{ id, title }[]`, all rules. */
  rules: `${NAME_PREFIX}/rules`,
  /**
   * Client to server: `{ uri }` -> `{ target, project }`: the version a file is checked for, and
   * the `.httpd-upgrade.json` that sets it, or null.
   */
  target: `${NAME_PREFIX}/target`,
  /**
   * Client to server: `{ uri, position }` after a typed `>` -> `{ tag }`, the closing tag to insert
   * after it, or null.
   */
  closingTag: `${NAME_PREFIX}/closingTag`,
  /** Server to client: settings have changed, including those in `.httpd-upgrade.json`. */
  settingsChanged: `${NAME_PREFIX}/settingsChanged`,
  /** Client to server: the user has trusted the workspace after the server's start. */
  trusted: `${NAME_PREFIX}/trusted`,
  /**
   * Client to server: `{ commands }`, the commands of all tasks that the user has ticked off. The
   * problems that they solve are no longer reported.
   */
  ran: `${NAME_PREFIX}/ran`,
  /**
   * Server to client: `{ uri }` -> `{ content, size }` with the bytes in base64, or `{ error }`.
   */
  readFile: `${NAME_PREFIX}/readFile`,
  /**
   * Server to client, if only the client has the files: writes a file. `{ uri, content }` with the
   * bytes in base64 -> `{}`, or `{ error }`.
   */
  writeFile: `${NAME_PREFIX}/writeFile`,
  /** Server to client: -> `{ uris }`, the workspace's files that may be httpd configuration. */
  findFiles: `${NAME_PREFIX}/findFiles`,
  /** Server to client: `{ uri }` -> `{ kind }`, which is `file`, `folder` or null. */
  look: `${NAME_PREFIX}/look`,
  /**
   * Server to client: `{ uri }` of a folder -> `{ names }`, each with its kind; null if it is no
   * folder.
   */
  list: `${NAME_PREFIX}/list`,
  /**
   * Client to server: `{ uri }` -> the files that the configurations of this file include, as rows
   * (server/src/features/include-tree.ts).
   */
  includeTree: `${NAME_PREFIX}/includeTree`,
  /**
   * Client to server, no parameters -> the upgrade plan of the workspace (server/src/lsp/plans.ts).
   * If there is no plan: `{ nothing }`, the reason.
   */
  plan: `${NAME_PREFIX}/plan`,
  /**
   * Client to server: `{ format: 'markdown' | 'html', tasks, ticked, most }` (`ReportRequest` in
   * server/src/lsp/plans.ts) -> `{ text }`, the report of the upgrade. If there is no report: `{
   * nothing }`, the reason.
   */
  report: `${NAME_PREFIX}/report`,
  /**
   * Client to server: `{ uri, httpd, inPlace }` -> the messages of a real httpd
   * (server/src/lsp/verify.ts). `uri` is a main file; `httpd` is the program, or '' to search for
   * it.
   */
  verify: `${NAME_PREFIX}/verify`,
  /** Server to client: the plan has changed. */
  planChanged: `${NAME_PREFIX}/planChanged`,
  /**
   * Client to server: plans a change. `{ uri }` -> the plan for the configuration that reads this
   * file. `{}` -> the plan for all configurations. `{ access }` -> the plan for an old access line.
   * `{ fix }` -> the plan for a fix. `{ ready }` -> the plan for ready fixes of the upgrade plan.
   * If there is no plan: `{ nothing }`, the reason, or `{ asks }`, the questions to answer first.
   */
  planConversion: `${NAME_PREFIX}/planConversion`,
  /** Client to server: applies the plan with this `{ id }` -> the outcome. */
  applyConversion: `${NAME_PREFIX}/applyConversion`,
  /**
   * Client to server: `{ id }` of a plan -> `{ text }`, the clients that gain or lose access by
   * this plan.
   */
  whoGains: `${NAME_PREFIX}/whoGains`,
  /** Client to server: `{ id }` undoes the plan with this id; without an id, the last plan. */
  undoConversion: `${NAME_PREFIX}/undoConversion`,
} as const;
