/**
 * Whether the server can check a login: mod_auth_basic and mod_auth_digest answer 500 if the
 * password file is missing (authenticate_basic_user, check_password in mod_authn_file.c), and
 * a server without a module for the AuthType, too.
 */
import type { ConfigLine } from '../config/configuration';
import { parentOf, resolvePath } from '../config/files';
import type { Asking } from './asking';
import type { AppliedSection } from './section';
import { wordsOf } from './site';

/** A problem of the login, and its line. */
export interface LoginProblem {
  readonly why: string;
  readonly lines: readonly ConfigLine[];
}

/** Null if there is none. `type`: the AuthType line that applies. */
export function typeProblem(type: ConfigLine, { facts, site }: Asking): LoginProblem | null {
  const name = wordsOf(type)[0] ?? '';
  if (KNOWN_TYPES.test(name)) return null;
  const what = `whether a module of the server has \`AuthType ${name}\``;
  return facts.holds(`auth type ${name}`, { what, place: site.placeOf(type) }, true)
    ? null
    : { why: `no module has AuthType ${name}`, lines: [type] };
}

/** What keeps the server from checking a password. Null if nothing does. */
export function passwordProblem(
  type: ConfigLine,
  sections: readonly AppliedSection[],
  asking: Asking,
): LoginProblem | null {
  const kind = (wordsOf(type)[0] ?? '').toLowerCase();
  if (kind !== 'basic' && kind !== 'digest') return null;
  const all = sections.flatMap(({ lines }) => lines);
  if (all.some(({ line }) => /^auth/.test(line.name) && !OWN.test(line.name))) return null;
  const provider = providerLine(kind, sections, asking);
  if (provider && wordsOf(provider)[0]?.toLowerCase() !== 'file') return null;
  const line = all.findLast((at) => at.line.name === 'authuserfile');
  if (!line) return { why: 'no AuthUserFile applies, so no password can be checked', lines: [provider ?? type] };
  return isReadable(line, asking) ? null : { why: 'the AuthUserFile cannot be read', lines: [line] };
}

/**
 * Whether the server can read the file of AuthUserFile or AuthGroupFile. If its directory is here
 * and the file is not, that is unknown: copies often leave out passwords.
 */
export function isReadable(line: ConfigLine, { facts, site }: Asking): boolean {
  const [name = ''] = wordsOf(line);
  if (name.includes('${')) return true;
  const path = resolvePath(site.configuration.serverRoot, name);
  const kind = site.kind(path);
  if (kind !== null) return kind === 'file';
  if (facts.assumesUsual || site.kind(parentOf(path)) !== 'folder') return true;
  const what = `whether \`${path}\` is on the server: it is not in this copy`;
  return facts.holds(`password file ${path}`, { what, place: site.placeOf(line) }, true);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Types of httpd and of modules that are often used with it. */
const KNOWN_TYPES =
  /^(basic|digest|form|kerberos|gssapi|negotiate|ntlm|sspi|shibboleth|mellon|cas|cosign|webauth|openid(-connect)?|oauth20|auth-openidc|jwt(-bearer)?|cookie|pam|pubcookie|netid|cert|certificate|sslcert|tkt|pubtkt|crowd|remote)$/i;

/** Directives of httpd that do not replace the password file. */
const OWN =
  /^auth(type|name|userfile|groupfile|merging|basic\w+|digest\w+|z(user|groupfile|owner|default|dbm|sendforbidden)\w*|dbm\w+)$/;

/** In 2.2, and for Digest, a section with any line of the module does not inherit the provider. */
function providerLine(
  kind: 'basic' | 'digest',
  sections: readonly AppliedSection[],
  { site }: Asking,
): ConfigLine | null {
  const isOwn = ({ line }: ConfigLine) => line.name.startsWith(`auth${kind}`);
  const isProvider = ({ line }: ConfigLine) => line.name === `auth${kind}provider`;
  const isMerged = site.version === '2.4' && kind === 'basic';
  const last = sections.findLast(({ lines }) => lines.some(isMerged ? isProvider : isOwn));
  return last?.lines.findLast(isProvider) ?? null;
}
