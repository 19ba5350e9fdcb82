/**
 * Computes which environment variables are set when access is decided. httpd first runs SetEnvIf,
 * BrowserMatch and similar lines of the servers (modules/metadata/mod_setenvif.c). Then it runs the
 * servers' RewriteRules, and then SetEnvIf lines in sections. SetEnv, PassEnv and RewriteRules in
 * directories set variables only after access is decided.
 */
import type { ConfigLine } from '../config/configuration';
import { linesOf, type RequestContext } from './asking';
import type { AppliedSection } from './section';
import { isConditionTrue } from './expressions';
import { matchesRegex } from './patterns';
import { ruleMaySetVariable } from './rewrite-list';
import { requestValue } from './values';
import { wordsOf } from './site';

/** Returns whether an environment variable is set, by its name. */
export type IsVariableSet = (name: string) => boolean;

/** Computes which variables are set for a request when httpd decides access. */
export function variablesSetFor(sections: readonly AppliedSection[], requestContext: RequestContext): IsVariableSet {
  const variables = new Set<string>();
  const valueByVariable = new Map<string, string>();
  const linesOfServers = requestContext.scopes.flatMap((scope) => linesOf(scope, SETENVIF_DIRECTIVES, requestContext));
  const linesOfSections = sections.flatMap(({ lines }) =>
    lines.filter(({ line }) => SETENVIF_DIRECTIVES.has(line.name)),
  );
  for (const line of linesOfServers) applySetEnvIfLine(line, variables, valueByVariable, requestContext);
  for (const [name, isSet] of requestContext.serverRewriting.variables) {
    if (isSet) variables.add(name);
    else variables.delete(name);
  }
  for (const line of linesOfSections) applySetEnvIfLine(line, variables, valueByVariable, requestContext);
  const isUnknown = requestContext.serverRewriting.end.kind === 'unknown';
  const rules = requestContext.scopes.flatMap((scope) =>
    linesOf(scope, isUnknown ? RULES_SETTING_VARIABLES : SECURITY_RULES, requestContext),
  );
  return (name) => {
    if (variables.has(name)) return true;
    const rule = rules.find(
      (line) => ruleMaySetVariable(name, line) || (SECURITY_RULES.has(line.line.name) && line.line.text.includes(name)),
    );
    const placeOfRule = rule ? requestContext.site.placeOf(rule) : null;
    if (rule || VARIABLE_OF_MODULES.test(name) || (requestContext.isInternallyRewritten && /^REDIRECT_/.test(name)))
      return requestContext.facts.holds(`variable ${name}`, {
        what: `whether the variable \`${name}\` is set`,
        place: placeOfRule,
      });
    return false;
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The directives of mod_setenvif. */
const SETENVIF_DIRECTIVES = new Set([
  'setenvif',
  'setenvifnocase',
  'browsermatch',
  'browsermatchnocase',
  'setenvifexpr',
]);
/** How much a line that may set variables adds to `OpenFacts.workDone`. */
const WORK_OF_LINE = 20;
/** Directives of mod_security that can set variables. */
const SECURITY_RULES = new Set(['secrule', 'secaction']);
/** All directives with rules that can set variables. */
const RULES_SETTING_VARIABLES = new Set([...SECURITY_RULES, 'rewriterule']);

/**
 * Matches variables that modules other than mod_setenvif and mod_rewrite set before access is
 * decided.
 */
const VARIABLE_OF_MODULES = /^(UNIQUE_ID|GEOIP_\w+|MM_\w+|MMDB_\w+|MODSEC\w*|DOS\w*|HTTP_\w+|is_subreq)$/i;

/** Applies a SetEnvIf line, or a similar one, to the variables. */
function applySetEnvIfLine(
  line: ConfigLine,
  variables: Set<string>,
  valueByVariable: Map<string, string>,
  requestContext: RequestContext,
): void {
  requestContext.facts.workDone += WORK_OF_LINE;
  const words = wordsOf(line);
  const place = requestContext.site.placeOf(line);
  const { name } = line.line;
  const isBrowser = name.startsWith('browsermatch');
  const ignoreCase = name.endsWith('nocase');
  if (name === 'setenvifexpr') {
    if (isConditionTrue(words[0] ?? '', { place, requestContext, isUserKnown: false }))
      setVariables(words.slice(1), variables, valueByVariable);
    return;
  }
  const [attribute = '', pattern = '', ...settings] = isBrowser ? ['User-Agent', ...words] : words;
  const attributeTexts = comparedTexts(attribute, valueByVariable, requestContext);
  const doesLineMatch =
    attributeTexts === null
      ? requestContext.facts.holds(`setenvif ${attribute} ${pattern}`, {
          what: `whether \`${line.line.text.trim()}\` matches`,
          place,
        })
      : attributeTexts.some((text) => matchesRegex(pattern, text, { facts: requestContext.facts, place, ignoreCase }));
  if (doesLineMatch) setVariables(settings, variables, valueByVariable);
}

/** Applies settings such as `NAME`, `NAME=VALUE` and `!NAME` to the variables. */
function setVariables(settings: readonly string[], variables: Set<string>, valueByVariable: Map<string, string>): void {
  for (const setting of settings) {
    const [name = '', value = '1'] = setting.split('=', 2);
    if (name.startsWith('!')) {
      variables.delete(name.slice(1));
      valueByVariable.delete(name.slice(1));
    } else {
      variables.add(name);
      valueByVariable.set(name, value);
    }
  }
}

/** The texts with which a SetEnvIf line compares its pattern. Null if they are unknown. */
function comparedTexts(
  attribute: string,
  valueByVariable: ReadonlyMap<string, string>,
  requestContext: RequestContext,
): readonly string[] | null {
  const { request } = requestContext;
  const listOfValue = (value: string | null) => (value === null ? null : [value]);
  switch (attribute.toLowerCase()) {
    case 'remote_addr':
      return listOfValue(request.from);
    case 'remote_host':
    case 'server_addr':
      return null;
    case 'request_method':
      return [request.method];
    case 'request_uri':
      return [requestContext.url];
    case 'request_protocol':
      return ['HTTP/1.1'];
    default:
  }
  // If the attribute is a regular expression, the line compares several headers (is_header_regex).
  if (/[^\w-]/.test(attribute)) {
    const configurationStart = { file: requestContext.site.root.file.path, line: 0 };
    const matchingHeaders = [...request.headers].filter(([name]) =>
      matchesRegex(attribute, name, { facts: requestContext.facts, place: configurationStart, ignoreCase: true }),
    );
    return matchingHeaders.length > 0 ? matchingHeaders.map(([, value]) => value) : [''];
  }
  const header = request.headers.get(attribute.toLowerCase());
  if (header !== undefined) return [header];
  if (attribute.toLowerCase() === 'host') return listOfValue(requestValue('HTTP_HOST', requestContext));
  return [valueByVariable.get(attribute) ?? ''];
}
