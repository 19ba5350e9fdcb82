/**
 * Collects the facts about a whole configuration that decide how each section is read: methods,
 * modules, group files.
 */
import type { ConfigFile, ConfigLine, DirectiveNames, Scope } from '../config/configuration';
import { groupWordOf, thirdPartyModules } from '../directives/third-party';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { METHODS_OF_BOTH } from '../validation/http-methods';
import { REFUSING_DIRECTIVES, DIRECTIVES_REFUSING_IN_SECTIONS, GROUP_DIRECTIVES } from './checkers';
import type { FilePosition } from './open-question';
import type { Source } from './model';
import { notConvertedBecauseOfLine, notConverted, placeText, type NotConverted } from './not-converted';

/**
 * One method that a `<Limit>` names, such as `GET`; or `*`: all methods that no `<Limit>` names.
 */
export type MethodClass = string;

/** The facts about a whole configuration. */
export interface Survey {
  readonly source: Source;
  readonly methodClasses: readonly MethodClass[];
  /** The reason why nothing in the configuration can be converted. Null if there is none. */
  readonly reason: NotConverted | null;
  /**
   * The first line of a module, other than mod_authz_host, that can refuse requests before httpd
   * asks for a login. Null if there is none.
   */
  readonly refusingLine: ThirdPartyLine | null;
  /** The first line of a third-party module that knows the members of groups. Null without one. */
  readonly groupOwner: ThirdPartyLine | null;
  /** Whether there is an AuthDBMGroupFile line. */
  readonly hasDbmGroups: boolean;
  /** Whether there is an AuthGroupFile line. */
  readonly hasGroupFiles: boolean;
  /**
   * The first Authz...Authoritative line. Null if there is none, so that all of these directives
   * have their defaults.
   */
  readonly authoritativeLine: SurveyedLine | null;
  /** Source files of modules, in loading order. */
  readonly modules: readonly string[];
}

/** A line of a third-party module that takes part in access control. */
export interface ThirdPartyLine {
  /**
   * Directive, module and place: `MellonEnable of mod_auth_mellon (httpd.conf:12)`.
   */
  readonly description: string;
  /** The 2.4 word after Require for groups of the module. Null if there is none. */
  readonly groupWord: string | null;
  readonly place: FilePosition;
}

export type SurveyedLine = Pick<ConfigLine, 'file' | 'offset' | 'line'>;

/** With more methods than this, the new lines would be hard to read, so nothing is converted. */
const MAX_METHODS = 6;

/** Collects the facts. `modules`: the source files of the loaded modules, in loading order. */
export function surveyOf(scopes: readonly Scope[], modules: readonly string[], source: Source = '2.2'): Survey {
  const directiveNames = new Set<string>();
  let refusingLine: ThirdPartyLine | null = null;
  let groupOwner: ThirdPartyLine | null = null;
  let authoritativeLine: SurveyedLine | null = null;
  for (const scope of scopes) {
    const isServerScope = scope.kind === 'server' || scope.kind === 'virtualhost';
    for (const at of scope.lines) {
      const { line, file, offset } = at;
      directiveNames.add(line.name);
      if (AUTHORITATIVE_NAME.test(line.name)) authoritativeLine ??= at;
      if (REFUSING_DIRECTIVES.has(line.name) || (DIRECTIVES_REFUSING_IN_SECTIONS.has(line.name) && !isServerScope))
        refusingLine ??= thirdPartyLine(line, file, offset);
      if (GROUP_DIRECTIVES.has(line.name)) groupOwner ??= thirdPartyLine(line, file, offset);
    }
  }
  const { methods, reasonNotConverted } = methodsOfLimits(scopes);
  return {
    source,
    reason: reasonNotConverted ?? (methods.size > MAX_METHODS ? notConverted('too-many-methods', null) : null),
    modules,
    methodClasses: [...[...methods].sort(), '*'],
    refusingLine,
    groupOwner,
    hasDbmGroups: directiveNames.has('authdbmgroupfile'),
    hasGroupFiles: directiveNames.has('authgroupfile'),
    authoritativeLine,
  };
}

/** The directives whose lines `surveyOf` looks for. Names of sections begin with `<`. */
export const SURVEYED_NAMES: DirectiveNames = {
  has: (name) =>
    name === '<limit' ||
    name === '<limitexcept' ||
    name === 'authdbmgroupfile' ||
    name === 'authgroupfile' ||
    REFUSING_DIRECTIVES.has(name) ||
    DIRECTIVES_REFUSING_IN_SECTIONS.has(name) ||
    GROUP_DIRECTIVES.has(name) ||
    AUTHORITATIVE_NAME.test(name),
};

/** The method class of a word of `<Limit>`. Null if one of the versions may not know the method. */
export function methodClassOf(word: string): MethodClass | null {
  // httpd gives HEAD the same number as GET.
  if (word === 'HEAD') return 'GET';
  return METHODS.has(word) ? word : null;
}

// ---------------------------------------------------------------------------------------------------------------------

const AUTHORITATIVE_NAME = /^authz\w+authoritative$/;

/** Methods that both versions register when they start. */
const METHODS: ReadonlySet<string> = new Set(METHODS_OF_BOTH);

/**
 * The methods in `<Limit>` and `<LimitExcept>` sections. If a version may not know one of them,
 * nothing is converted, and `reasonNotConverted` is the reason.
 */
function methodsOfLimits(scopes: readonly Scope[]): {
  readonly methods: ReadonlySet<MethodClass>;
  readonly reasonNotConverted: NotConverted | null;
} {
  const methods = new Set<MethodClass>();
  let reasonNotConverted: NotConverted | null = null;
  for (const { lines } of scopes) {
    for (const at of lines) {
      for (const { section: limit } of at.enclosingSections) {
        if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;
        for (const { value } of argumentsOf(limit.open)) {
          const method = methodClassOf(value);
          if (method === null) reasonNotConverted ??= notConvertedBecauseOfLine('unknown-method', at, value);
          else methods.add(method);
        }
      }
    }
  }
  return { methods, reasonNotConverted };
}

function thirdPartyLine(line: Line, file: ConfigFile, offset: number): ThirdPartyLine {
  const module = thirdPartyModules(line.name, false)[0];
  const moduleText = module === undefined ? '' : ` of mod_${module.identifier.replace(/^mod_|_module$/g, '')}`;
  return {
    description: `${spelledName(line)}${moduleText} (${placeText(file, offset)})`,
    groupWord: groupWordOf(line.name) ?? null,
    place: { path: file.path, offset },
  };
}
