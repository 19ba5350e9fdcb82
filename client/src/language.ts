/** The names that the extension's parts, its manifest and the server have to agree on. */

/** The language's id in the editor. */
export const LANGUAGE = 'apacheconf';

/** The section of the settings, and the prefix of commands and of our own requests. */
export const SECTION = 'httpdUpgrade';

/** Who reports the problems, and what goes with each further line of one (server/src/features/diagnostics.ts). */
export const SOURCE = 'httpd-upgrade';
export const SAME_PROBLEM = 'belongs to the same problem';

/** Code actions of this kind are the ways to silence a rule, one by one (server/src/features/fewer-actions.ts). */
export const IGNORE_KIND = 'quickfix.httpdUpgrade.ignore';

/** Our requests and notifications, beyond the protocol. */
export const Requests = {
  /** Client to server: `{ rule }` -> `{ title, markdown } | null`. */
  rulePage: `${SECTION}/rulePage`,
  /** Client to server: -> `{ id, title }[]`. */
  rules: `${SECTION}/rules`,
  /** Client to server: `{ uri }` -> `{ target, project }`: the version a file is checked for, and the `.httpd-upgrade.json` that says so, or null. */
  target: `${SECTION}/target`,
  /** Client to server: `{ uri, position }` behind a `>` that was typed -> `{ tag }`, the closing tag that belongs behind it, or null. */
  closingTag: `${SECTION}/closingTag`,
  /** Server to client: settings have changed, those of a `.httpd-upgrade.json`, too. */
  settingsChanged: `${SECTION}/settingsChanged`,
  /** Client to server: the person has trusted the workspace after the server's start. */
  trusted: `${SECTION}/trusted`,
  /** Client to server: `{ commands }`, all that a person has ticked off as run on the server: what they settle is no problem any more. */
  ran: `${SECTION}/ran`,
  /** Server to client: `{ uri }` -> `{ content, size }` with the bytes in base64, or `{ error }`. */
  readFile: `${SECTION}/readFile`,
  /** Server to client, which alone has the files: `{ uri, content }` with the bytes in base64 -> `{}`, or `{ error }`. */
  writeFile: `${SECTION}/writeFile`,
  /** Server to client: -> `{ uris }`, the workspace's files that may be httpd configuration. */
  findFiles: `${SECTION}/findFiles`,
  /** Server to client: `{ uri }` -> `{ kind }`: `file`, `folder` or null. */
  look: `${SECTION}/look`,
  /** Server to client: `{ uri }` -> `{ names }` of a folder, each with its kind; null for what is none. */
  list: `${SECTION}/list`,
  /** Client to server: `{ uri }` -> the configurations of a file as rows, see server/src/features/include-tree.ts. */
  includeTree: `${SECTION}/includeTree`,
  /** Client to server: -> the upgrade plan of the workspace, see server/src/lsp/plans.ts; or `{ nothing }` with the reason. */
  plan: `${SECTION}/plan`,
  /** Client to server: `{ format: 'markdown' | 'html', tasks, ticked, most }` (`AskedReport` in server/src/lsp/plans.ts) -> `{ text }`, the report of the upgrade; or `{ nothing }` with the reason. */
  report: `${SECTION}/report`,
  /** Client to server: `{ uri, httpd }` of a main file and the program ('' for the one that is found) -> what a real httpd says of it, see server/src/lsp/verify.ts. */
  verify: `${SECTION}/verify`,
  /** Server to client: there is another plan. */
  planChanged: `${SECTION}/planChanged`,
  /** Client to server: `{ uri? }` -> the plan for the file's configuration (all, where none is given), `{ fix }` -> that of a fix, `{ ready }` -> that of ready fixes of the upgrade plan; or `{ nothing }` with the reason. */
  planConversion: `${SECTION}/planConversion`,
  /** Client to server: `{ id }` of a plan -> what became of it. */
  applyConversion: `${SECTION}/applyConversion`,
  /** Client to server: `{ id? }` -> takes it back, or the last one. */
  undoConversion: `${SECTION}/undoConversion`,
} as const;
