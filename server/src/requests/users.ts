/** Decides whether a user with the right password fulfils a Require line. */
import { argumentsOf, lexLines } from '../syntax/line';
import type { ConfigLine } from '../config/configuration';
import { resolvePath } from '../config/files';
import type { AppliedSection } from './section';
import type { RequestContext } from './asking';
import { isReadable } from './logins';
import { wordsOf } from './site';

/** The groups of the user of the request, and the line that names the group file. */
export interface GroupSource {
  /** Whether a line names a group file. */
  readonly hasFile: boolean;
  /** Whether the server cannot read the group file. */
  readonly isUnreadable?: boolean;
  /** The groups of the user. Null if the file is not in this copy. */
  readonly groups: ReadonlySet<string> | null;
  readonly line: ConfigLine | null;
}

/**
 * Finds the groups of the user. Only the last section with a line of mod_authz_groupfile counts,
 * because the module does not merge its settings.
 */
export function groupsOfUser(sections: readonly AppliedSection[], requestContext: RequestContext): GroupSource {
  const { site, request } = requestContext;
  const lastSection = sections.findLast(({ lines }) => lines.some(({ line }) => GROUP_FILE_DIRECTIVES.has(line.name)));
  const groupFileLine = lastSection?.lines.findLast((configLine) => configLine.line.name === 'authgroupfile') ?? null;
  if (!groupFileLine) return { hasFile: false, groups: new Set(), line: groupFileLine };
  const groupFileText = site.textOfFile(resolvePath(site.configuration.serverRoot, wordsOf(groupFileLine)[0] ?? ''));
  if (groupFileText === null) {
    const isUnreadable = request.user !== null && !isReadable(groupFileLine, requestContext);
    return { hasFile: true, isUnreadable, groups: isUnreadable ? new Set() : null, line: groupFileLine };
  }
  const groups = groupFileText.split('\n').flatMap((row) => {
    const [name, ...members] = row.split(':');
    return request.user !== null && members.join(':').split(/\s+/).includes(request.user) ? [name!.trim()] : [];
  });
  return { hasFile: true, groups: new Set(groups), line: groupFileLine };
}

/** Whether the user fulfils a Require line. `text`: the text of the line after `Require`. */
export function fulfilsRequirement(text: string, groupSource: GroupSource, requestContext: RequestContext): boolean {
  const { request, facts, site } = requestContext;
  const [name = '', ...words] = wordsOfText(site.version === '2.4' ? withoutEscapes(text) : text);
  switch (name.toLowerCase()) {
    case 'valid-user':
      return true;
    case 'user':
      return words.includes(request.user!);
    case 'group':
      if (groupSource.groups !== null) return words.some((word) => groupSource.groups!.has(word));
      break;
    default:
  }
  // 2.2 accepts any word after Require, but no user fulfils a word that only 2.4 knows.
  if (site.version === '2.2' && /^(all|ip|host|env|local|method|expr|not|granted|denied)$/i.test(name)) return false;
  return facts.holds(`user ${text}`, {
    what: `whether ${request.user} fulfils \`Require ${text}\``,
    place: groupSource.line ? site.placeOf(groupSource.line) : null,
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** The directives of mod_authz_groupfile. */
const GROUP_FILE_DIRECTIVES = new Set(['authgroupfile', 'authzgroupfileauthoritative']);

/** Splits the text after `Require` into words, as httpd does. */
function wordsOfText(text: string): string[] {
  const [line] = lexLines(`Require ${text}`);
  return line ? argumentsOf(line).map(({ value }) => value) : [];
}

/**
 * Decodes backslashes. In 2.4 the text is an expression, in which a backslash begins an escape
 * (util_expr_scan.l).
 */
function withoutEscapes(text: string): string {
  return text.replace(/\\([^])/g, (_, character: string) => CHARACTER_OF_ESCAPE[character] ?? character);
}

/** The characters for the letters of escapes. In other escapes, the letter stands for itself. */
const CHARACTER_OF_ESCAPE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
