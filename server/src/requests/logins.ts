/**
 * Finds out whether the server can check a login. mod_auth_basic and mod_auth_digest answer 500 if
 * the password file is missing (authenticate_basic_user, check_password in mod_authn_file.c). So
 * does a server without a module for the AuthType.
 */
import type { ConfigLine } from '../config/configuration';
import { parentOf, resolvePath } from '../config/files';
import type { RequestContext } from './asking';
import type { AppliedSection } from './section';
import { wordsOf } from './site';

/** The reason why the server cannot check a login, and the line that causes it. */
export interface LoginProblem {
  readonly why: string;
  readonly lines: readonly ConfigLine[];
}

/**
 * The problem if no module of the server provides the AuthType. Null if a module does.
 * `authTypeLine`: the AuthType line that applies.
 */
export function authTypeProblem(authTypeLine: ConfigLine, { facts, site }: RequestContext): LoginProblem | null {
  const authTypeName = wordsOf(authTypeLine)[0] ?? '';
  if (KNOWN_AUTH_TYPE.test(authTypeName)) return null;
  const factText = `whether a module of the server has \`AuthType ${authTypeName}\``;
  return facts.holds(`auth type ${authTypeName}`, { what: factText, place: site.placeOf(authTypeLine) }, true)
    ? null
    : { why: `no module has AuthType ${authTypeName}`, lines: [authTypeLine] };
}

/** The problem if the server cannot check a password. Null if it can. */
export function passwordProblem(
  authTypeLine: ConfigLine,
  sections: readonly AppliedSection[],
  requestContext: RequestContext,
): LoginProblem | null {
  const authType = (wordsOf(authTypeLine)[0] ?? '').toLowerCase();
  if (authType !== 'basic' && authType !== 'digest') return null;
  const appliedLines = sections.flatMap(({ lines }) => lines);
  if (appliedLines.some(({ line }) => /^auth/.test(line.name) && !HTTPD_AUTH_DIRECTIVE.test(line.name))) return null;
  const lineOfProvider = providerLine(authType, sections, requestContext);
  if (lineOfProvider && wordsOf(lineOfProvider)[0]?.toLowerCase() !== 'file') return null;
  const userFileLine = appliedLines.findLast((configLine) => configLine.line.name === 'authuserfile');
  if (!userFileLine)
    return { why: 'no AuthUserFile applies, so no password can be checked', lines: [lineOfProvider ?? authTypeLine] };
  return isReadable(userFileLine, requestContext)
    ? null
    : { why: 'the AuthUserFile cannot be read', lines: [userFileLine] };
}

/**
 * Whether the server can read the file that AuthUserFile or AuthGroupFile names. If only the file
 * is missing in this copy, this is an open fact, because copies often leave out passwords. With
 * `assumesUsual`, or if its directory is missing, too, or its path has a variable, the result is
 * true.
 */
export function isReadable(line: ConfigLine, { facts, site }: RequestContext): boolean {
  const [name = ''] = wordsOf(line);
  if (name.includes('${')) return true;
  const path = resolvePath(site.configuration.serverRoot, name);
  const kindOnDisk = site.kind(path);
  if (kindOnDisk !== null) return kindOnDisk === 'file';
  if (facts.assumesUsual || site.kind(parentOf(path)) !== 'folder') return true;
  const factText = `whether \`${path}\` is on the server: it is not in this copy`;
  return facts.holds(`password file ${path}`, { what: factText, place: site.placeOf(line) }, true);
}

// ---------------------------------------------------------------------------------------------------------------------

/** AuthTypes of httpd, and of modules that are often used with it. */
const KNOWN_AUTH_TYPE =
  /^(basic|digest|form|kerberos|gssapi|negotiate|ntlm|sspi|shibboleth|mellon|cas|cosign|webauth|openid(-connect)?|oauth20|auth-openidc|jwt(-bearer)?|cookie|pam|pubcookie|netid|cert|certificate|sslcert|tkt|pubtkt|crowd|remote)$/i;

/** Directives of httpd that do not replace the password file by another source. */
const HTTPD_AUTH_DIRECTIVE =
  /^auth(type|name|userfile|groupfile|merging|basic\w+|digest\w+|z(user|groupfile|owner|default|dbm|sendforbidden)\w*|dbm\w+)$/;

/**
 * The AuthBasicProvider or AuthDigestProvider line that applies. In 2.2, and for Digest, a section
 * with any line of the module does not inherit the provider. Null if no such line applies.
 */
function providerLine(
  kind: 'basic' | 'digest',
  sections: readonly AppliedSection[],
  { site }: RequestContext,
): ConfigLine | null {
  const isLineOfModule = ({ line }: ConfigLine) => line.name.startsWith(`auth${kind}`);
  const isProviderLine = ({ line }: ConfigLine) => line.name === `auth${kind}provider`;
  const mergesProviders = site.version === '2.4' && kind === 'basic';
  const lastSection = sections.findLast(({ lines }) => lines.some(mergesProviders ? isProviderLine : isLineOfModule));
  return lastSection?.lines.findLast(isProviderLine) ?? null;
}
