/**
 * Broken versions of server/src/access. Each replaces one piece of source, such as a row of the
 * translation's table, or a rule of inheritance or order. The tests have to fail for each.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { repositoryRoot } from '../support/paths';

export interface Mutant {
  readonly name: string;
  /** In server/src/access, without `.ts`. */
  readonly file: string;
  /** Stands there once. */
  readonly from: string;
  readonly to: string;
}

const of = (file: string, mutants: Readonly<Record<string, readonly [string, string]>>): Mutant[] =>
  Object.entries(mutants).map(([name, [from, to]]) => ({ name, file, from, to }));

export const MUTANTS: readonly Mutant[] = [
  ...of('condition-branches', {
    'an edit of one case is made in all': [
      'cases.every((each) => casesThatMakeIt.has(each) || isInUnreadBranch(each.unreadBranches, path, edit.start, edit.end)) &&',
      '',
    ],
    'a case counts as without a place that it reads': [
      'branch.path === path && start >= branch.start && end <= branch.end',
      'branch.path === path',
    ],
    'a part of a group is converted': [
      '[...edits].every((each) => isRightInEachCase(each, allEdits, cases))',
      '[...edits].some((each) => isRightInEachCase(each, allEdits, cases))',
    ],
    'what a condition negates is read': ['isRead: isLoaded !== branch.isNegated', 'isRead: isLoaded'],
    'a module of one version may be there': [`!knownModule?.['2.2'] || !knownModule['2.4'] ||`, '!knownModule ||'],
    'a module that decides about access may be missing': ['|| DECIDES_ABOUT_ACCESS.test(knownModule.name)', ''],
    'no line loads a module between': ['mayModuleBeLoaded(module) ? `${module} ${scopeNumber}` : module', 'module'],
    'any number of modules is tried': ['questions.length > MAX_QUESTIONS', 'false'],
    'two names of one module are two modules': ['  return knownModule.name;', '  return nameIn24.name;'],
  }),
  ...of('running', {
    'what other people had for 2.2 tells of 2.4': ['if (NAMES_OF_SEPARATE_MODULES.test(name)) return false;', ''],
    'lines of both versions tell of 2.4': [`&& facts['2.2']?.arguments === undefined`, ''],
    'Require lines tell nothing': [`return REQUIRE_WORDS_OF_24.has(lowerCaseWord(0));`, 'return false;'],
    'every Require line tells': [`return REQUIRE_WORDS_OF_24.has(lowerCaseWord(0));`, 'return true;'],
    'mod_access_compat by its file tells nothing': [
      'namesCompatModule(lowerCaseWord(0)) || namesCompatModule(lowerCaseWord(1))',
      'namesCompatModule(lowerCaseWord(0))',
    ],
    'mod_access_compat by its name tells nothing': [
      'namesCompatModule(lowerCaseWord(0)) || namesCompatModule(lowerCaseWord(1))',
      'namesCompatModule(lowerCaseWord(1))',
    ],
    'Define of mod_define tells': [`!modules.includes('mod_define.c')`, 'true'],
    'a line for a name that may be defined tells': [
      `if (mayBeForBoth && line.name !== 'define' && line.name !== 'undefine') return false;`,
      '',
    ],
    'a name that is defined for another one tells nothing': [
      `if (mayBeForBoth && line.name !== 'define' && line.name !== 'undefine') return false;`,
      'if (mayBeForBoth) return false;',
    ],
    'a line in any condition that is not known tells nothing': [
      `activity === 'unknown' && conditionals.some(({ name }) => name === 'ifdefine')`,
      `activity === 'unknown'`,
    ],
    'a line for a name that is defined tells nothing': [
      `activity === 'unknown' && conditionals.some(({ name }) => name === 'ifdefine')`,
      `conditionals.some(({ name }) => name === 'ifdefine')`,
    ],
    'RequireAll tells nothing': [`'requireall',`, ''],
    'a section tells nothing': ['if (section && isWantedSection(section.name)) return', 'if (false) return'],
    'sections inside are not looked at': ['if (lineInChild) return lineInChild;', ''],
    'files are not looked through for sections': [
      'sectionShows24(child.name) || someLineShows24(child.body)',
      'someLineShows24(child.body)',
    ],
    'files are not looked through in sections': [
      'sectionShows24(child.name) || someLineShows24(child.body)',
      'sectionShows24(child.name)',
    ],
    'modules by lines: few are all': [
      `modulesLoadedByLines(configuration) === 'all'`,
      `modulesLoadedByLines(configuration) !== 'none'`,
    ],
    '2.4 starts without mod_access_compat': [`modulesLoadedByLines(configuration) === 'all'`, 'false'],
    'what is not here loads nothing': [
      `configuration.gaps.every(({ reason }) => reason === 'condition' || reason === 'mpm') &&`,
      '',
    ],
    'mod_access_compat is not looked for': ['!configuration.modules.some(namesCompatModule) &&', ''],
    'what is compiled in does not count': [`builtInModules?.has('mod_access_compat') !== true &&`, ''],
    '2.4 needs no line to refuse': [
      `findHostLine(configuration.rootScope, ({ activity, activityByVersion }) => activity === 'active' && activityByVersion?.in24 !== 'inactive',) !== null`,
      'true',
    ],
    'a line that may not be there keeps 2.4 from starting': [
      `activity === 'active' && activityByVersion?.in24 !== 'inactive'`,
      `activityByVersion?.in24 !== 'inactive'`,
    ],
    'a line for 2.2 alone keeps 2.4 from starting': [
      `activity === 'active' && activityByVersion?.in24 !== 'inactive'`,
      `activity === 'active'`,
    ],
    'conditions are those of both versions': ['decideCondition: decideConditionIn22,', ''],
    'tags of conditions are not gathered': ['tagNames: SECTIONS_OF_24,', ''],
    'a .htaccess tells by what may stand elsewhere': [
      `return isAccepted('2.4') && !isAccepted('2.2')`,
      `return !isAccepted('2.2')`,
    ],
    'a .htaccess tells by lines of both versions': [
      `return isAccepted('2.4') && !isAccepted('2.2')`,
      `return isAccepted('2.4')`,
    ],
    'a .htaccess tells by lines alone': [
      'firstLineOrSection(configurationAs22.rootScope, isLineOf24, (name) => isOnlyIn24(name, true))',
      'firstLineOrSection(configurationAs22.rootScope, isLineOf24, () => false)',
    ],
  }),
  ...of('removable-conditions', {
    'sections that only 2.4 reads do not count': ['![...keys].some((key) => keysWithLinesOf24.has(key))', 'true'],
    'sections of a virtual host are those of the server': [
      'return host === null ? sectionName(scope) : `${sectionName(scope)} ${host.offset} ${host.file.path}`;',
      'return sectionName(scope);',
    ],
    'sections inside are not looked at': ['walk(children[i]!, innerHost);', ';'],
    '.htaccess files are not looked at': ['if (mayHaveConditions(scope.file)) walk(scope, null);', ''],
    'conditions around lines do not count': ['if (activityOfLine !== undefined) differences.add(activityOfLine);', ''],
    'nothing goes': ['return [...removedBySection.values()];\n}', 'return [];\n}'],
    'a condition of a file that is read twice goes': [
      '[file, ...files].every(({ readingCount }) => readingCount === 1) &&',
      '',
    ],
    'a condition goes of which a part is not known': ['knowsAllLines &&', ''],
    'a condition goes whatever is in it': ['.every(isReadAlikeInBoth)', '.every(() => true)'],
    'sections in it are not looked at': [
      'areAllAlike &&= SECTIONS_READ_ALIKE.has(item.name) && isReadAlikeInBoth(item.body);',
      'areAllAlike &&= SECTIONS_READ_ALIKE.has(item.name);',
    ],
    'any section may be in it': [
      'areAllAlike &&= SECTIONS_READ_ALIKE.has(item.name) && isReadAlikeInBoth(item.body);',
      'areAllAlike &&= isReadAlikeInBoth(item.body);',
    ],
    'an expression is a name': ['return !/[\\\\$%]/.test(line.text);', 'return true;'],
    'no AuthName may be in it': ['return !/[\\\\$%]/.test(line.text);', 'return false;'],
    'all classes of AllowOverride are alike': [
      'return argumentsOf(line).every(({ value }) => /^(all|none|authconfig|fileinfo|indexes|limit)$/i.test(value));',
      'return true;',
    ],
    'no AllowOverride may be in it': [
      'return argumentsOf(line).every(({ value }) => /^(all|none|authconfig|fileinfo|indexes|limit)$/i.test(value));',
      'return false;',
    ],
    'all Options are alike': ['return signedCount === 0 || signedCount === argumentsOf(line).length;', 'return true;'],
    'Options with signs are not alike': [
      'return signedCount === 0 || signedCount === argumentsOf(line).length;',
      'return signedCount === 0;',
    ],
    'Options without signs are not alike': [
      'return signedCount === 0 || signedCount === argumentsOf(line).length;',
      'return signedCount === argumentsOf(line).length;',
    ],
    'all directives are alike': ['default:\n      return false;', 'default:\n      return true;'],
    'a variable is alike': [`|| line.text.includes('\${')`, ''],
    'lines do not move to the left': [
      'return [...shiftedEdits, ...unindentEdits, ...tagEdits];',
      'return [...shiftedEdits, ...tagEdits];',
    ],
    'what is written does not move to the left': [
      'return [...shiftedEdits, ...unindentEdits, ...tagEdits];',
      'return [...edits, ...unindentEdits, ...tagEdits];',
    ],
    'lines move that are at the left': [
      'if (indentDifference <= 0 || !innerIndent.startsWith(outerIndent)) return [...edits, ...tagEdits];',
      '',
    ],
    'the end stays': ["{ start: bodyEnd, end: bodyEnd + close.length, text: '' },", ''],
    'the begin stays': ["{ start: offset, end: bodyStart, text: '' },", ''],
  }),
  ...of('loading', {
    'modules: three are few': ['const MIN_LOADED_IF_NONE_BUILT_IN = 3;', 'const MIN_LOADED_IF_NONE_BUILT_IN = 4;'],
    'modules: two are all': ['const MIN_LOADED_IF_NONE_BUILT_IN = 3;', 'const MIN_LOADED_IF_NONE_BUILT_IN = 2;'],
    'modules: some are none': [`loadedCount > 0 ? 'some'`, `loadedCount > 1 ? 'some'`],
    'modules: none are some': [`loadedCount > 0 ? 'some' : 'none'`, `'some'`],
    'modules: the last one is none': [`'log_config', 'env',`, `'log_config',`],
    'old lines: Order is none': [`new Set(['order', 'allow', 'deny'])`, `new Set(['allow', 'deny'])`],
    'old lines: Allow is none': [`new Set(['order', 'allow', 'deny'])`, `new Set(['order', 'deny'])`],
    'old lines: Deny is none': [`new Set(['order', 'allow', 'deny'])`, `new Set(['order', 'allow'])`],
    'old lines: every one is one': [
      'HOST_LINE_NAMES.has(each.line.name) && isWanted(each)',
      'HOST_LINE_NAMES.has(each.line.name)',
    ],
    'old lines: sections inside are not looked at': ['if (lineOfChild) return lineOfChild;', ''],
  }),
  ...of('unloaded', {
    'the module is that of 2.4': [`source === '2.2' ? 'mod_authz_host' : 'mod_access_compat'`, `'mod_access_compat'`],
    'the module is that of 2.2': [`source === '2.2' ? 'mod_authz_host' : 'mod_access_compat'`, `'mod_authz_host'`],
    'no module is in doubt': [`=== 'none') return [];`, `!== 'none') return [];`],
    'few modules are all there are': [
      `modulesLoadedByLines(configuration) === 'none'`,
      `modulesLoadedByLines(configuration) !== 'all'`,
    ],
    'a module that is loaded is in doubt': ['configuration.loadedModules.has(`${neededModule}.c`) ||', ''],
    'a module that is compiled in is in doubt': ['|| builtInModules?.has(neededModule)', ''],
    'lines of the server show nothing': [
      `if (findHostLine(configuration.rootScope, ({ activity, activityByVersion }) => activity === 'active' && activityByVersion?.in22 !== 'inactive')) return [];`,
      '',
    ],
    'lines of the server that may not be there show the module': [
      `({ activity, activityByVersion }) => activity === 'active' && activityByVersion?.in22 !== 'inactive')) return`,
      `({ activityByVersion }) => activityByVersion?.in22 !== 'inactive')) return`,
    ],
    'lines of the server for 2.4 show the module of 2.2': [
      `activity === 'active' && activityByVersion?.in22 !== 'inactive')) return`,
      `activity === 'active')) return`,
    ],
    'lines of a .htaccess for 2.4 need the module of 2.2': [
      `activity !== 'inactive' && activityByVersion?.in22 !== 'inactive'`,
      `activity !== 'inactive'`,
    ],
    'lines of a .htaccess that may be there need nothing': [`activity !== 'inactive' &&`, `activity === 'active' &&`],
  }),
  ...of('conditions', {
    'conditions of 2.2: a module that came with 2.4 may be there': [
      `knownModule && !knownModule['2.2'] ? 'inactive' : activityOfModule('2.2', namedModule.name, loadedModules)`,
      `activityOfModule('2.2', namedModule.name, loadedModules)`,
    ],
    'conditions of 2.2: no module is known': [
      `knownModule && !knownModule['2.2'] ? 'inactive' : activityOfModule('2.2', namedModule.name, loadedModules)`,
      `knownModule && !knownModule['2.2'] ? 'inactive' : 'unknown'`,
    ],
    'conditions of 2.2: the other way round is the same': [
      'return activityIfNegated(activityIn22, namedModule.isNegated);',
      'return activityIn22;',
    ],
    'conditions of 2.2: versions are those of 2.4': [
      'const { isTrueForNewest, areAllEqual } = answersOfReleases22(open);',
      'return activityOf(open, DEFAULT_TARGET); const { isTrueForNewest, areAllEqual } = answersOfReleases22(open);',
    ],
  }),
  ...of('translate', {
    'table: allow,deny read as deny,allow': [
      `hostRules.order === 'deny,allow' ? anyOfTrees([allowedTree, notDeniedTree])`,
      `hostRules.order !== 'mutual-failure' ? anyOfTrees([allowedTree, notDeniedTree])`,
    ],
    'table: mutual-failure read as deny,allow': [
      `hostRules.order === 'deny,allow' ? anyOfTrees([allowedTree, notDeniedTree])`,
      `hostRules.order !== 'allow,deny' ? anyOfTrees([allowedTree, notDeniedTree])`,
    ],
    'table: deny,allow read as allow,deny': [
      `hostRules.order === 'deny,allow' ? anyOfTrees([allowedTree, notDeniedTree])`,
      'hostRules.order === undefined ? anyOfTrees([allowedTree, notDeniedTree])',
    ],
    'table: Allow from all is nobody': [`kind === 'all')) return GRANTED`, `kind === 'all')) return DENIED`],
    'table: Allow from all is forgotten': [
      `if (operands.some((operand) => operand.kind === 'all')) return GRANTED;`,
      '',
    ],
    'table: Deny from all is nobody': [`kind === 'all')) return DENIED`, `kind === 'all')) return GRANTED`],
    'table: Deny from all is forgotten': [`if (operands.some((operand) => operand.kind === 'all')) return DENIED;`, ''],
    'table: no Allow is everybody': [
      `if (alternatives.length === 0) return DENIED;`,
      `if (alternatives.length === 0) return GRANTED;`,
    ],
    'table: no Deny is nobody': [
      `if (conditions.length === 0) return GRANTED;`,
      `if (conditions.length === 0) return DENIED;`,
    ],
    'table: Deny loses its not': [
      `...matchTrees(operands).map((inner): Tree24 => ({ type: 'not', inner })),`,
      '...matchTrees(operands),',
    ],
    'table: Deny is left out': [`...matchTrees(operands).map((inner): Tree24 => ({ type: 'not', inner })),`, ''],
    'table: Allow from env=!X takes X': [
      `allOfTrees([{ type: 'not', inner: { type: 'match', provider: 'env', operands: [name] } }])`,
      `({ type: 'match', provider: 'env', operands: [name] })`,
    ],
    'table: Allow from env=!X is left out': [
      '...distinctTexts(negatedVariables).map((name): Tree24 => allOfTrees([',
      '...[].map((name): Tree24 => allOfTrees([',
    ],
    'table: Deny from env=!X takes not X': [
      `...distinctTexts(negatedVariables).map((name): Tree24 => ({ type: 'match', provider: 'env', operands: [name] })),`,
      `...distinctTexts(negatedVariables).map((name): Tree24 => ({ type: 'not', of: { type: 'match', provider: 'env', operands: [name] } })),`,
    ],
    'table: Deny from env=!X is left out': [
      '...distinctTexts(negatedVariables).map((name): Tree24 => ({',
      `...[].map((name): Tree24 => ({`,
    ],
    'table: env=!X read as env=X': [
      `else if (operand.kind === 'env' && !operand.isNegated)`,
      `else if (operand.kind === 'env')`,
    ],
    'table: addresses are left out': [
      `if (operand.kind === 'ip') operandsByProvider.ip.push(operand.text);`,
      `if (operand.kind === 'ip') ;`,
    ],
    'table: host names are left out': [`operandsByProvider.host.push(operand.name)`, `void 0`],
    'table: variables are left out': [`operandsByProvider.env.push(operand.name)`, `void 0`],
    'table: only the first address counts': [
      'operands: distinctTexts(operandsByProvider[provider])',
      'operands: distinctTexts(operandsByProvider[provider]).slice(0, 1)',
    ],
    'table: host names asked as addresses': [
      `({ type: 'match', provider, operands`,
      `({ type: 'match', provider: provider === 'host' ? 'ip' : provider, operands`,
    ],
    'users: Satisfy Any asks for both': [
      `section.satisfy === 'any' ? anyOfTrees([userTree, treeOfHosts])`,
      'section.satisfy === undefined ? anyOfTrees([userTree, treeOfHosts])',
    ],
    'users: Satisfy All takes either': [
      ': allOfTrees([userTree, treeOfHosts]);',
      ': anyOfTrees([userTree, treeOfHosts]);',
    ],
    'users: the login is forgotten': [
      `if (section.userRequirements.length === 0) return treeOfHosts;`,
      `if (section.userRequirements.length >= 0) return treeOfHosts;`,
    ],
    'users: hosts are forgotten': ['section.hostRules ? hostTree(section.hostRules) : GRANTED', `GRANTED`],
    'users: all of several Require lines': [
      'const userTree = anyOfTrees(section',
      'const userTree = allOfTrees(section',
    ],
    'compat: hosts and Require are alternatives': [
      ': allOfTrees([requireTree, treeOfHosts]);',
      ': anyOfTrees([requireTree, treeOfHosts]);',
    ],
    'compat: Satisfy Any asks for both': [
      '? anyOfTrees([requireTree, treeOfHosts])',
      '? allOfTrees([requireTree, treeOfHosts])',
    ],
    'print: negatives without anything to take away from': [
      `{ type: 'all', inner: [GRANTED, ...conditions] }`,
      `{ type: 'all', inner: conditions }`,
    ],
    'print: a RequireAny keeps denied branches': [`(child) => child.type !== 'denied'`, '() => true'],
    'print: a RequireAll keeps granted branches': [`(child) => child.type !== 'granted',`, '() => true,'],
    'print: the first of several in a RequireAny only': [
      `: { type: 'any', inner: alternatives };`,
      `: alternatives[0];`,
    ],
    'print: the first of several in a RequireAll only': [
      `: { type: 'all', inner: conditions };\n}\n\n/**\n * Removes duplicate trees`,
      `: conditions[0];\n}\n\n/**\n * Removes duplicate trees`,
    ],
  }),
  ...of('print', {
    'print: RequireAll for RequireAny': [
      `containerLines('RequireAny', tree.inner`,
      `containerLines('RequireAll', tree.inner`,
    ],
    'print: RequireAny for RequireAll': [
      `containerLines('RequireAll', tree.inner.map(`,
      `containerLines('RequireAny', tree.inner.map(`,
    ],
    'print: denied for granted': ['`${indent}Require all granted`', '`${indent}Require all denied`'],
    'print: granted for denied': ['`${indent}Require all denied`', '`${indent}Require all granted`'],
    'print: not is left out': ['`${indent}Require not`', '`${indent}Require`'],
    'print: not of a method is left out': [`tree.isNegated ? 'not ' : ''`, `''`],
    'print: operands behind the first twenty are lost': [
      `i < operands.length; i += MAX_OPERANDS`,
      `i < MAX_OPERANDS_PER_LINE; i += MAX_OPERANDS_PER_LINE`,
    ],
    'print: more than twenty must all match': [
      `needsSeveralLines(child) ? { type: 'any', inner: [child] } : child`,
      `child`,
    ],
    'print: names with blanks fall apart': [`/[\\s"'\\\\]/.test(operand) ? `, `/^$/.test(operand) ? `],
  }),
  ...of('decide22', {
    '2.2: Satisfy Any asks for a login although the host is fine': [`if (isHostAccepted) return 'allowed';`, ''],
    '2.2: Satisfy Any without Require lets in': [
      `authenticate(section, assignment) : 'forbidden'`,
      `authenticate(section, assignment) : 'allowed'`,
    ],
    '2.2: Satisfy All ignores the hosts': [`if (!isHostAccepted) return 'forbidden';`, ''],
    '2.2: no Require asks for a login': [`section.userRequirements.length > 0`, `section.userRequirements.length >= 0`],
    '2.2: no record refuses': [`if (!hostRules) return true;`, `if (!hostRules) return false;`],
    '2.2: deny,allow: Deny wins': [`!isDenied || isAllowed`, `!isDenied`],
    '2.2: deny,allow: nobody by default': [`!isDenied || isAllowed`, `isAllowed`],
    '2.2: allow,deny: Allow wins': [`isAllowed && !isDenied;`, `isAllowed;`],
    '2.2: allow,deny: everybody by default': [`isAllowed && !isDenied;`, `!isDenied;`],
    '2.2: all matches nobody': [`case 'all':\n      return true;`, `case 'all':\n      return false;`],
    '2.2: env=!X read as env=X': [` !== operand.isNegated`, ''],
    '2.2: all Require lines have to be met': [`section.userRequirements.some(`, `section.userRequirements.every(`],
    '2.2: any user will do': [`user && section.userRequirements`, `user || section.userRequirements`],
  }),
  ...of('decide24', {
    '2.4: 401 for what a login cannot change': [
      `if (statusWithoutUser !== 'denied-no-user') return 'forbidden';`,
      `if (statusWithoutUser !== 'denied-no-user') return 'unauthorized';`,
    ],
    '2.4: neutral lets in': [
      `if (statusWithoutUser === 'granted') return 'allowed';`,
      `if (statusWithoutUser === 'granted' || statusWithoutUser === 'neutral') return 'allowed';`,
    ],
    '2.4: the user is looked at first': [
      `evaluate(tree, { ...assignment, user: null }, 'all')`,
      `evaluate(tree, assignment, 'all')`,
    ],
    '2.4: not grants': [`return 'denied';\n  return 'neutral';`, `return 'denied';\n  return 'granted';`],
    '2.4: not refuses nobody': [`if (status === 'granted') return 'denied';`, ''],
    '2.4: RequireAny is refused by one': [
      `const decisiveStatus = kind === 'all' ? 'denied' : 'granted';`,
      `const decisiveStatus: Status = 'denied';`,
    ],
    '2.4: RequireAny asks nobody': [
      `if (statusOfChild === 'denied-no-user' || status`,
      `if (statusOfChild === (kind === 'any' ? 'denied' : 'denied-no-user') || status`,
    ],
    '2.4: RequireAll is granted by one': [
      `const decisiveStatus = kind === 'all' ? 'denied' : 'granted';`,
      `const decisiveStatus: Status = 'granted';`,
    ],
    '2.4: RequireAll asks nobody': [
      `if (statusOfChild === 'denied-no-user' || status`,
      `if (statusOfChild === (kind === 'all' ? 'granted' : 'denied-no-user') || status`,
    ],
    '2.4: RequireAll of neutrals grants': [
      `let status: Status = 'neutral';`,
      `let status: Status = kind === 'all' ? 'granted' : 'neutral';`,
    ],
    '2.4: all operands have to match': [`tree.operands.some(`, `tree.operands.every(`],
    '2.4: a limit holds for all methods': [`tree.methods.includes(method) !== tree.isExcept`, `true`],
    '2.4: LimitExcept read as Limit': [`!== tree.isExcept`, `!== false`],
    '2.4: limited to other methods refuses': [`return parent === 'all' ? 'granted' : 'neutral';`, `return 'denied';`],
    '2.4: limited to other methods is always neutral': [
      `return parent === 'all' ? 'granted' : 'neutral';`,
      `return 'neutral';`,
    ],
    '2.4: limited to other methods always grants': [
      `return parent === 'all' ? 'granted' : 'neutral';`,
      `return 'granted';`,
    ],
    '2.4: an expression about users never asks': [`!assignment.user && tree.text.includes('REMOTE_USER')`, `false`],
    '2.4: Require not method grants': [
      `return isMethodNamed ? 'denied' : 'neutral';`,
      `return isMethodNamed ? 'denied' : 'granted';`,
    ],
    '2.4: RequireNone read as RequireAny': [
      "return negatedStatus(statusOfContainer(tree.inner, assignment, 'any'));",
      "return statusOfContainer(tree.inner, assignment, 'any');",
    ],
  }),
  ...of('read24', {
    'merging: inherits beside its own': [
      `if (authMerging === null || authMerging === 'off' || !tree`,
      `if (authMerging === 'off' || !tree`,
    ],
    'merging: Off keeps what is inherited': [
      `return authMerging === null || authMerging === 'off' ? ownAuthorization :`,
      `return authMerging === null ? own :`,
    ],
    'merging: And read as Or': [`authMerging === 'and' ? 'all' : 'any'`, `'any'`],
    'merging: Or read as And': [`authMerging === 'and' ? 'all' : 'any'`, `'all'`],
    'merging: what says nothing starts anew': [
      `if (tree === null && authMerging === null) return inheritedAuthorization;`,
      '',
    ],
    'merging: And and Or are forgotten behind their section': [
      `inner: [inheritedAuthorization.tree, tree] }, authMerging };`,
      `inner: [inheritedAuthorization.tree, tree] }, authMerging: null };`,
    ],
    'reading: lines at the top are all needed': [
      `const topContainer: OpenRequireContainer = { type: 'any'`,
      `const topContainer: OpenRequireContainer = { type: 'all'`,
    ],
    'reading: containers are left out': [`parent = container;`, ''],
    'reading: not is left out': [`isNegated ? { type: 'not', inner: leaf } : leaf`, `leaf`],
    'reading: limits are left out': [`limitSections.reduceRight(`, `[].reduceRight(`],
    'reading: HEAD is another method than GET': [
      `operands.map((method) => (method === 'HEAD' ? 'GET' : method))`,
      `operands`,
    ],
  }),
  ...of('decide-compat', {
    'compat: Satisfy Any asks although the host is fine': [
      `if (section.satisfy === 'any' && hostDecision === 'allowed') return 'allowed';`,
      '',
    ],
    'compat: Satisfy All ignores the hosts': [
      `if (section.satisfy === 'all' && hostDecision !== 'allowed') return 'forbidden';`,
      '',
    ],
    'compat: Satisfy Any without Require refuses, as in 2.2': [
      `hasAuthType ? 'broken' : 'allowed'`,
      `hasAuthType ? 'broken' : host`,
    ],
    'compat: Satisfy Any with the hosts refused is refused': [
      `return tree === null ? 'allowed' : decide24(tree, assignment);`,
      `return tree === null ? hostDecision : decide24(tree, assignment);`,
    ],
    'compat: the hosts alone decide': [
      `return tree === null ? 'allowed' : decide24(tree, assignment);`,
      `return 'allowed';`,
    ],
    'compat: AuthType without Require serves': [`hasAuthType ? 'broken' : 'allowed'`, `'allowed'`],
  }),
  ...of('operand', {
    'operands: all with case': [`if (lowerCaseWord === 'all')`, `if (word === 'all')`],
    'operands: env=!X is a variable called !X': [
      `if (lowerCaseWord.startsWith('env=!'))`,
      `if (lowerCaseWord.startsWith('env=!!'))`,
    ],
    'operands: half an address is a host name': [
      `if (isIpv6(word) || isIpv4Part(word))`,
      `if (isIpv6(word) || isFullIpv4(word))`,
    ],
    'operands: IPv6 is an error': [`if (isIpv6(word) || isIpv4Part(word))`, `if (isIpv4Part(word))`],
    'operands: none is not converted': [
      `return operand.kind === 'never' && operand.text.toLowerCase() === 'none';`,
      `return false;`,
    ],
  }),
  ...of('section-access', {
    'old lines beside lines for 2.4: without Require, too': [
      `    tree !== null &&
    scope.activityByVersion`,
      `    scope.activityByVersion`,
    ],
    'old lines beside lines for 2.4: those of 2.4 alone, too': [
      `    activityByVersion === undefined &&
    macro`,
      `    macro`,
    ],
    'old lines beside lines for 2.4: those in Limit, too': [
      ` &&
    enclosingSections.length === 0;`,
      `;`,
    ],
    'operands: none matches no client': [
      `if (meaning === null && isWordNone(operand)) return { kind: 'host', name: word };`,
      `if (meaning === null && isWordNone(operand)) return operand;`,
    ],
    'order: the first Order line counts': [
      `else for (const method of methods) collector.orderByMethod.set(method, order);`,
      `else for (const method of methods) if (!collector.orderByMethod.has(method)) collector.orderByMethod.set(method, order);`,
    ],
    'order: a bare Order is no record': [
      `const { order } = line;
      collector.hasHostRules = true;`,
      `const { order } = line;`,
    ],
    'order: a bare Allow or Deny is no record': [
      `case 'deny':
      collector.hasHostRules = true;`,
      `case 'deny':`,
    ],
    'order: Allow and Deny swapped': [
      `collector[name].push({ value, methods })`,
      `collector[name === 'allow' ? 'deny' : 'allow'].push({ value, methods })`,
    ],
    'inheritance: AuthType needs no tree': [
      `ownAccess.userRequirements !== null || ownAccess.hasAuthType ||`,
      `ownAccess.userRequirements !== null ||`,
    ],
    'methods: limits are passed over': [
      `if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;\n    const named`,
      `continue;\n    const named`,
    ],
    'methods: LimitExcept read as Limit': [
      `namedMethods.has(method) === (limit.name === 'limit')`,
      `namedMethods.has(method)`,
    ],
    'methods: Limit read as LimitExcept': [
      `namedMethods.has(method) === (limit.name === 'limit')`,
      `!namedMethods.has(method)`,
    ],
    'methods: a limit in a limit is taken': [
      `.length > 1)\n    yield { reason: notConvertedBecauseOfLine('limit-in-limit'`,
      `.length > 9)\n    yield { reason: notConvertedBecauseOfLine('limit-in-limit'`,
    ],
    'open questions: variables are read': [
      `if (argumentsOf(line).some(({ value }) => value.includes('\${'))) yield`,
      `if (false) yield`,
    ],
    'open questions: conditionals are passed over': [
      `if (configLine.conditionals.length > 0 && configLine.activity !== 'active') yield`,
      `if (false) yield`,
    ],
    'open questions: words that never matched are passed over': [
      `collector.setReason(notConvertedBecauseOfLine('matches-no-client', configLine, word, meant, operands.length === 1), true);`,
      ``,
    ],
    'open questions: groups of a DBM file': [`=== 'groups' && survey.hasDbmGroups`, `=== 'groups' && false`],
    'open questions: expressions in Require': [
      'if (isExpressionIn24(textFor24)) collector.setReason',
      'if (false) collector.setReason',
    ],
    'open questions: AuthMerging is passed over': [`if (line.name === 'authmerging') yield`, `if (false) yield`],
  }),
  ...of('inherited-access', {
    'order: the default is allow,deny': [
      `ownAccess.hostRules.orderByMethod.get(method) ?? 'deny,allow'`,
      `ownAccess.hostRules.orderByMethod.get(method) ?? 'allow,deny'`,
    ],
    'inheritance: hosts are not inherited': [
      `{ hostRules: hostRules ?? inheritedSection.hostRules,`,
      `{ hostRules: hostRules,`,
    ],
    'inheritance: an outer record wins': [
      `{ hostRules: hostRules ?? inheritedSection.hostRules,`,
      `{ hostRules: inheritedSection.hostRules ?? hostRules,`,
    ],
    'inheritance: Allow is inherited beside a new record': [
      `{ hostRules: hostRules ?? inheritedSection.hostRules,`,
      `{ hostRules: hostRules && inheritedSection.hostRules ? { ...hostRules, allow: [...inheritedSection.hostRules.allow, ...hostRules.allow] } : (hostRules ?? inheritedSection.hostRules),`,
    ],
    'inheritance: Deny is inherited beside a new record': [
      `{ hostRules: hostRules ?? inheritedSection.hostRules,`,
      `{ hostRules: hostRules && inheritedSection.hostRules ? { ...hostRules, deny: [...inheritedSection.hostRules.deny, ...hostRules.deny] } : (hostRules ?? inheritedSection.hostRules),`,
    ],
    'inheritance: Order is inherited beside a new record': [
      `{ hostRules: hostRules ?? inheritedSection.hostRules,`,
      `{ hostRules: hostRules && inheritedSection.hostRules ? { ...hostRules, order: inheritedSection.hostRules.order } : (hostRules ?? inheritedSection.hostRules),`,
    ],
    'inheritance: Satisfy is not inherited': [
      `ownAccess.satisfyByMethod.get(method) ?? inheritedSection.satisfy`,
      `ownAccess.satisfyByMethod.get(method) ?? 'all'`,
    ],
    'inheritance: Satisfy goes with the record, as in mod_access_compat': [
      `ownAccess.satisfyByMethod.get(method) ?? inheritedSection.satisfy`,
      `ownAccess.satisfyByMethod.get(method) ?? (hostRules ? 'all' : inheritedSection.satisfy)`,
    ],
    'inheritance: Satisfy of an outer section wins': [
      `ownAccess.satisfyByMethod.get(method) ?? inheritedSection.satisfy`,
      `inheritedSection.satisfy === 'any' ? 'any' : (ownAccess.satisfyByMethod.get(method) ?? 'all')`,
    ],
    'inheritance: Require is not inherited': [
      `userRequirements: userRequirements ?? inheritedSection.userRequirements`,
      `userRequirements: userRequirements ?? []`,
    ],
    'inheritance: Require adds to what is inherited': [
      `userRequirements: userRequirements ?? inheritedSection.userRequirements`,
      `userRequirements: [...inheritedSection.userRequirements, ...(userRequirements ?? [])]`,
    ],
    'inheritance: a Require for other methods inherits': [
      `userRequirements: userRequirements ?? inheritedSection.userRequirements`,
      `userRequirements: userRequirements?.length ? userRequirements : inheritedSection.userRequirements`,
    ],
    'inheritance: the group file is not inherited': [
      `hasGroupFile: state.hasGroupFile || ownAccess.hasGroupFile`,
      `hasGroupFile: ownAccess.hasGroupFile`,
    ],
    'compat: the record is inherited as in 2.2': [
      `if (source === '2.4' && (ownAccess.hostRules !== null || ownAccess.satisfyByMethod.size > 0))`,
      `if (false)`,
    ],
    'compat: Satisfy alone keeps the hosts': [
      `hostRules: hostRules ?? NO_HOST_LINES`,
      `hostRules: hostRules ?? inheritedSection.hostRules`,
    ],
    'compat: Satisfy is inherited past an Order': [
      `ownAccess.satisfyByMethod.get(method) ?? 'all', userRequirements: NO_REQ`,
      `ownAccess.satisfyByMethod.get(method) ?? inheritedSection.satisfy, userRequirements: NO_REQ`,
    ],
    'compat: Require is not inherited': [`tree: ownAccess.tree24 ?? state.tree,`, `tree: ownAccess.tree24,`],
  }),
  ...of('access-tree', {
    'compat: AuthType without Require is served': [
      `if (require24 === null && hasAuthType) return`,
      `if (false) return`,
    ],
    'methods: one tree for all': [
      `if (treeTexts.size === 1) return trees.get('*')!;`,
      `if (treeTexts.size >= 1) return trees.get('*')!;`,
    ],
    'methods: the others are not told apart': [
      `{ type: 'method', methods: namedMethods, isNegated: true }`,
      `{ type: 'method', methods: namedMethods, isNegated: false }`,
    ],
    'methods: the others are refused': [
      `branches.push(methodBranch({ type: 'method', methods: named`,
      `[].push(methodBranch({ type: 'method', methods: named`,
    ],
    'methods: only one method of those that agree': [
      `addTo(methodsByTreeText, treeText, method)`,
      `methodsByTreeText.set(treeText, [method])`,
    ],
    'modules: lines of all count': [
      `requirements.filter(({ text }) => requirementModule(text) === decidingModule)`,
      `requirements`,
    ],
    'modules: the last one decides': [
      `loadIndexByModule.get(a)! - loadIndexByModule.get(b)!`,
      `loadIndexByModule.get(b)! - loadIndexByModule.get(a)!`,
    ],
    'modules: groups without a file count': [`module !== 'groups' || hasGroupFile`, `true`],
    'modules: an unknown order is guessed': [`if (loadIndexes.length !== 1)`, `if (loadIndexes.length > 9)`],
    'modules: Authoritative is passed over': [`if (authoritativeLine !== null) return`, `if (false) return`],
    'open questions: Satisfy Any lets SSLRequireSSL go': [`refusingLine === null || satisfy !== 'any'`, `true`],
  }),
  ...of('survey', {
    'methods: HEAD is another method than GET': [
      `if (word === 'HEAD') return 'GET';`,
      `if (word === 'HEAD') return 'HEAD';`,
    ],
    'methods: any name is known': [`METHODS.has(word) ? word : null`, `word`],
  }),
  ...of('section-order', {
    'sections: folders in order of writing': [
      'a.pathParts.length - b.pathParts.length || Number(a.isHtaccess) - Number(b.isHtaccess) || hostRank(a) - hostRank(b) || a.orderNumber - b.orderNumber',
      `a.orderNumber - b.orderNumber`,
    ],
    'sections: .htaccess before the sections of its folder': [
      `Number(a.isHtaccess) - Number(b.isHtaccess) ||`,
      `Number(b.isHtaccess) - Number(a.isHtaccess) ||`,
    ],
    'sections: .htaccess behind all sections': [
      `a.pathParts.length - b.pathParts.length || Number(a.isHtaccess) - Number(b.isHtaccess) ||`,
      `Number(a.isHtaccess) - Number(b.isHtaccess) || a.pathParts.length - b.pathParts.length ||`,
    ],
    "sections: the virtual host's before the main server's": [
      `return entry.host === null ? 0 : 1;`,
      `return entry.host === null ? 1 : 0;`,
    ],
    'sections: virtual hosts in order of writing': [`return entry.host === null ? 0 : 1;`, `return 0;`],
    'sections: patterns in order of writing': [
      `return slashesIn(a.pattern) - slashesIn(b.pattern) || compareLocations(a, b);`,
      `return compareLocations(a, b);`,
    ],
    'sections: Files of folders before those of the server': [
      `return parent === null ? 0 : parent.stage`,
      `return parent === null ? 3 : parent.stage`,
    ],
    'sections: locations of a host before those of the main server': [
      'return hostRank(a) - hostRank(b) || a.orderNumber - b.orderNumber;',
      `return a.orderNumber - b.orderNumber;`,
    ],
    "sections: a folder's section does not reach further in": [
      `if (entry.pathParts.length > folder.length) {`,
      `if (entry.pathParts.length !== folder.length) {`,
    ],
    "sections: a folder's section reaches everywhere": [
      `if (matchOfPart === 'no') return 'no';\n    if (matchOfPart === 'maybe')`,
      `if (matchOfPart === 'maybe')`,
    ],
    'regular expressions: alternatives are passed over': [`if (mayHaveAlternatives(regexSource)) return '';`, ``],
    'regular expressions: every alternative is one of all': [
      `if (depth < 0 || (depth === 0 && character === '|')) return true;`,
      `if (character === '|') return true;`,
    ],
    'Windows: patterns of names match in their own case': [
      `{ ignoreCase: entry.isOnWindows }`,
      `{ ignoreCase: false }`,
    ],
    'Windows: patterns of directories begin in their own case': [
      `entry.isOnWindows ? entry.prefix.toLowerCase() : entry.prefix`,
      `entry.prefix`,
    ],
    'Windows: wildcards match in any case': [
      `if (entry.isOnWindows && hasWildcard(part)) applicability = 'maybe';`,
      ``,
    ],
    'Windows: a short name is a name of its own': [`return /~\\d/.test(path);`, `return false;`],
    'sections: what may match surely matches': [`if (matchOfPart === 'maybe') applicability = 'maybe';`, ''],
    'sections: wildcards match nothing': [`compiledGlob(pattern).test(name) ? 'yes' : 'no'`, `'no'`],
    'sections: a file of another name is the same': [
      `if (isFixedName(a) && isFixedName(b)) return 'no';`,
      `if (isFixedName(a) && isFixedName(b)) return 'yes';`,
    ],
    'sections: Files patterns never overlap': [
      `matchOfName(b, a.pattern) === 'no' ? 'no' : 'maybe';\n  return 'maybe';`,
      `matchOfName(b, a.pattern) === 'no' ? 'no' : 'maybe';\n  return 'no';`,
    ],
    'sections: a location does not reach further in': [
      `if (entryPrefix.startsWith(otherPrefix.endsWith('/') ? otherPrefix : \`\${otherPrefix}/\`)) return 'yes';`,
      '',
    ],
    'sections: locations of the same name are apart': [
      `if (entryPrefix === otherPrefix) return entry.isRegex ? 'maybe' : 'yes';`,
      '',
    ],
    'sections: location patterns never overlap': [
      `return otherPrefix.startsWith(entryPrefix) || entryPrefix.startsWith(otherPrefix) ? 'maybe' : 'no';`,
      `return 'no';`,
    ],
    'sections: a quantified letter is a start': [`/[?*{+]/.test(nextCharacter) ?`, `false ?`],
    'open questions: $ in a pattern of 2.2': [`if (stage === 'directorymatch' && `, `if (false && `],
    'open questions: a variable in a tag': [
      `if (words.some((word) => word.includes('\${'))) return`,
      `if (false) return`,
    ],
  }),
  ...of('directory-index', {
    'places: what lies around a folder is passed over, of few': [
      'return this.itemsFoundByComparison((folderOfItem) => isSameOrParent(folderOfItem, folder));',
      `return this.itemsFoundByComparison(() => false);`,
    ],
    'places: what may be anywhere is passed over, of few': [
      `return folderOfItem === null || isFound(folderOfItem);`,
      `return folderOfItem !== null && isFound(folderOfItem);`,
    ],
    'places: what lies around a folder is passed over': [
      'for (const index of this.indexesAt(outerPath)) foundIndexes.push(index);',
      'foundIndexes.splice(0, foundIndexes.length, ...this.indexesAt(outerPath));',
    ],
    'places: what lies below a folder is passed over': [
      ', ...paths.indexesBetween(`${folderPath}/`, `${folderPath}0`)]',
      `]`,
    ],
    'places: what may be anywhere is passed over': [`return void this.indexesInAnyFolder.push(index);`, `return;`],
    'places: in any order': [`indices.sort((a, b) => a - b)`, `indices`],
  }),
  ...of('rewrite', {
    'print: within a limit that stays': [
      `const remainingAnchorLimit = remainingLimits.find(containsAnchor);`,
      `const remainingAnchorLimit = remainingLimits.find(() => false);`,
    ],
    'print: a limit that holds more goes': [
      `if (item instanceof Line) hasOnlyThese &&= item.kind === LineKind.Blank || isRemoved(item);`,
      `if (item instanceof Line) ;`,
    ],
  }),
  ...of('plan', {
    '.htaccess: AllowOverride is widened without a word': ['...overrideChanges.map(overrideChangeQuestion),', ``],
    '.htaccess: containers are not admitted': [`names.add(`, `void (`],
  }),
  ...of('override', {
    'AllowOverride: All by default is None': [
      `const DEFAULT_OVERRIDE: Override = { words: ['all'], line: null };`,
      'const DEFAULT_OVERRIDE: Override = { words: [], line: null };',
    ],
    'AllowOverride: the outermost counts': [
      'compareNumbers(depthOf(a), depthOf(b))',
      'compareNumbers(depthOf(b), depthOf(a))',
    ],
    'AllowOverride: a virtual host that may read a file does': [
      `if (!overrides.every(({ words }) => words !== null && opensHtaccess(words))) return null;`,
      ``,
    ],
    'AllowOverride: a virtual host that may read a file does not': [
      `if (areFilesIgnored(overrides)) continue;`,
      `if (overrides.some(({ words }) => words?.length === 0)) continue;`,
    ],
    'AllowOverride: virtual hosts say the same in a folder, whatever they say': [
      `return JSON.stringify([pathParts, scope.activity, textsAndActivities]);`,
      `return '';`,
    ],
    'AllowOverride: a virtual host with a line that may not hold says the same as one whose line holds': [
      `[expandedLine.text, activity]`,
      `[expandedLine.text]`,
    ],
    'AllowOverride: what a virtual host says of a pattern is not asked': [
      '.withHosts(new Map(patternSectionsOfHosts), ({ comparisonKey }) => comparisonKey)',
      '',
    ],
    'AllowOverride: the main server answers nothing, whatever the ports': [
      `hostsWithSections < hostCountOf(configuration) || !everyRequestHasHost(configuration)`,
      `hostsWithSections < hostCountOf(configuration)`,
    ],
    'AllowOverride: a virtual host that says nothing has nothing': [
      `hostsWithSections < hostCountOf(configuration) || !everyRequestHasHost(configuration)`,
      `!everyRequestHasHost(configuration)`,
    ],
    'AllowOverride: of the folder itself only': [
      `[...pathParts.keys(), pathParts.length].map(`,
      `[pathParts.length].map(`,
    ],
  }),
  ...of('host-copies', {
    'copies in hosts: a later section of the main server is overridden': [`if (hasLaterSection ||`, `if (`],
    'copies in hosts: a section in a condition is copied': [`readBy.in24 === 'active' &&`, ``],
    'copies in hosts: none': [`if (hostTree === tree) continue;`, `continue;`],
  }),
  ...of('shared-text', {
    'shared lines: a file that is included twice is changed twice': [`offsets.size === accessLines.length &&`, ``],
    'shared lines: a parameter changes the new lines': [
      `(writtenLine(at) !== null && hasPlainMacro(at))`,
      `writtenLine(at) !== null`,
    ],
    'shared lines: arguments stay in the macro': [`lineInFile.line.text.trim() === at.line.text.trim()`, `true`],
    'shared lines: an argument is a part of a word': [`if (!SAFE_PARAMETER.test(word)) return null;`, ``],
    'shared lines: an argument is a user': [` || (line.name !== 'allow' && line.name !== 'deny')`, ``],
    'shared lines: a limit around the Include is a part of it': [`|| file !== at.file)`, `)`],
  }),
  ...of('second-macros', {
    'second macros: a Use line that is not read keeps the name': [
      `&& allUses.every((use) => knownKeys.has(keyOfUse(use)))`,
      ``,
    ],
    'second macros: a name is taken': [`if (linesOfMacros.isNameTaken(newName)) return null;`, ``],
    'second macros: a name is defined again': [`macrosWithName.length === 1 &&`, ``],
    'second macros: a name in quotes': [
      `&& line.text.slice(nameArgument.start, nameArgument.end) === nameArgument.value`,
      ``,
    ],
    'second macros: UndefMacro': [
      `else if (item.name === 'undefmacro' || item.name === 'macro') areNamesPlain = false;`,
      ``,
    ],
    'second macros: lines that another fix changes': [
      `LOGIN_DIRECTIVES.has(item.name) || accessOffsets.has(at)`,
      `true`,
    ],
    'second macros: more than four': [`entriesByLines.size > MAX_GROUPS`, `false`],
    'second macros: none of the parts is known': [`configuration.gaps.length > 0`, `false`],
    'second macros: a Use line that several sections have': [`knownKeys.size === uses.length &&`, ``],
    'second macros: a macro in a file that is read twice': [`&& macrosWithName[0]!.file.readingCount === 1`, ``],
  }),
  ...of('inlined-includes', {
    'lines in place: none': [
      `return inlinedIncludes.length === 0 ? null :`,
      `return inlinedIncludes.length >= 0 ? null :`,
    ],
    'lines in place: another reader of the file': [
      `if (includedFile.readingCount !== entries.length) return null;`,
      ``,
    ],
    'lines in place: other files and macros in the section': [
      `fragments.get(entry.scope)?.length === 1`,
      `fragments.get(entry.scope)?.length !== 0`,
    ],
    'lines in place: a comment for this program': [`isCopyable &&= !item.isPragma`, `isCopyable &&= true`],
    'lines in place: lines that another fix changes': [`LOGIN_DIRECTIVES.has(item.name) &&`, ``],
    'lines in place: login lines in a limit': [`!isInSection &&`, ``],
    'lines in place: another encoding, or a continued line': [`&& isOneAsciiLine(item)`, ``],
    'lines in place: a section in a file that is read twice': [`|| file.readingCount !== 1`, ``],
    'lines in place: an Include line in a condition': [`isChangeable &&= !isInCondition;`, ``],
  }),
  ...of('mixed-includes', {
    'lines in place: a pattern or a continued line': [
      `|| line.isJoined || /[*?[]/.test(name.value)) return false;`,
      `) return false;`,
    ],
    'lines in place: a file of another name': [`return baseName(name.value) === baseName(path);`, `return true;`],
  }),
  ...of('together', {
    'second macros: lines that 2.2 has, too': [`list.every(hasLinesOf24) ?`, `list.length > 0 ?`],
    'copies: a file for two places is changed for one': [
      `keysOfConvertedLines.size > 1 ||`,
      `keysOfConvertedLines.size > 9 ||`,
    ],
    'copies: a place may have further lines': [
      'new Set(list.map(({ scope }) => keyOfAccessLines(scope))).size > 1',
      `false`,
    ],
    '.htaccess: a file of two folders is changed for one': [
      `(readingCountByPath.size > 0 && (readingCountByPath.get(file.path) ?? 0) > 1)`,
      `false`,
    ],
  }),
  ...of('sections', {
    'copies: a .htaccess is converted for the first virtual host that reads it': [
      `for (const host of hostsReading(each)) collect(each.scope, host, null);`,
      `collect(each.scope, hostsReading(each)[0]!, null);`,
    ],
    'copies: a .htaccess that one virtual host reads is read by all': [
      `return readingHosts === 'all' || readingHosts === null ? EVERY_SERVER : readingHosts;`,
      `return EVERY_SERVER;`,
    ],
    'a variable in a tag names that very place': ["argument.includes('${') || isDriveless", `isDriveless`],
    'Windows: a drive says nothing of the paths before it': [
      `if (kind === 'directory') hasDriveLetter ||=`,
      `if (false) hasDriveLetter ||=`,
    ],
    'Windows: a path without a drive is a place of its own': ['|| isDriveless(scope, isOnWindows)', ``],
  }),
  ...of('excluded-sections', {
    'copies: what stays for the sake of others is changed for the other': [
      `for (const each of copies.get(other) ?? [other]) {`,
      `for (const each of [other]) {`,
    ],
    'what stays: its neighbours are converted, whatever they are': [
      `const relatedSections = [...(relatedSectionsByEntry.get(entry) ?? [])];`,
      `const relatedSections: SectionEntry[] = [];`,
    ],
    'what stays: nobody looks at it as the last one': [
      `for (const lastSection of [entry, ...relatedSections]) {`,
      `for (const lastSection of relatedSections) {`,
    ],
  }),
  ...of('configuration-conversion', {
    'any path: a section that inherits counts as one that decides alone': [
      `if (entriesWithVariable.length === 0 || !decidingSections.every(inheritsNothing)) return null;`,
      `if (entriesWithVariable.length === 0) return null;`,
    ],
    'any path: Satisfy decides alone': [
      `hostRules !== null &&
    satisfyByMethod.size === 0 &&`,
      `hostRules !== null &&`,
    ],
    'any path: patterns, too': [
      `(kind === 'directory' || kind === 'location') && words.length === 1 && /^[\\w/.\${}-]+$/.test(words[0]!)`,
      `true`,
    ],
    'copies: each is written': [
      '[...new Set(copies.values())].flatMap((list) => list.filter((entry) => entry !== entryToConvert(list))),',
      '[],',
    ],
    "what is converted beside what stays may be taken for 2.2's": [
      `if (survey.source === '2.2') for (const [entry, reason] of reasonsForMistakableGroups`,
      `if (false) for (const [entry, reason] of reasonsForMistakableGroups`,
    ],
  }),
  ...of('decide-section', {
    'inherited states: the first one is enough': [`if (trees.size === 1) return {`, `if (trees.size >= 1) return {`],
    'inherited states: AuthType alone is never given a tree': [
      `if (inheritedStates.every((base) => base.hasTreeIn24)) return null;`,
      `if (inheritedStates.some((base) => base.hasTreeIn24)) return null;`,
    ],
    'inherited states: AuthType alone is always given a tree': [
      `if (inheritedStates.every((base) => base.hasTreeIn24)) return null;`,
      ``,
    ],
    'merging: And although Satisfy is Any': [`if (satisfies.has('all')) return`, `if (satisfies.size > 0) return`],
    'merging: beside an inherited login': [
      `userRequirements.length > 0))) return null;`,
      `userRequirements.length > 99))) return null;`,
    ],
    'merging: Or over what states no tree': [
      `isForAllMethods && inheritedStates.every((base) => base.hasTreeIn24) ?`,
      `isForAllMethods ?`,
    ],
    'merging: Or for a login for some methods only': [
      `return isForAllMethods && inheritedStates.every(`,
      `return inheritedStates.every(`,
    ],
    'for both versions: what it says for 2.4 is taken for right': [
      'if (!hasWrittenTree({ tree }, writtenTree)) return',
      `if (false) return`,
    ],
    'for both versions: it may say nothing for 2.4': [
      'accessPairs.every(({ inheritedAccess, resultingAccess }) => inheritedAccess.hasTreeIn24 && states.treeOf(inheritedAccess) === states.treeOf(resultingAccess))',
      `true`,
    ],
  }),
  ...of('requests-with-old-lines', {
    'what stays: what is looked at once is not looked at again': [
      `for (let index = firstIndex; index < endIndex; index++) requests.add(index);`,
      `;`,
    ],
    'what stays: what is not known of it is no matter': [
      'if (unknownDecisions.some(({ appliesIn24 }) => appliesIn24)) {',
      `if (false) {`,
    ],
    'what stays: a section that joins is one that replaces': [
      `linesFor24.authMerging === null && !linesFor24.hostCopies`,
      `!linesFor24.hostCopies`,
    ],
    'what stays: whatever 2.4 does by itself is right': ['(!differsWithOldLines || hasLinesOfOneVersion) &&', ''],
    'what stays: addresses are no matter': [
      'areHostRulesEqual(accessBeforeConversion, accessAfterConversion) && areTreesEqual(accessBeforeConversion, accessAfterConversion)',
      'areTreesEqual(accessBeforeConversion, accessAfterConversion)',
    ],
    'what stays: Require is no matter': [
      'areHostRulesEqual(accessBeforeConversion, accessAfterConversion) && areTreesEqual(accessBeforeConversion, accessAfterConversion)',
      'areHostRulesEqual(accessBeforeConversion, accessAfterConversion)',
    ],
    'what stays: what refuses everybody is converted beside Satisfy Any': [
      `!this.limits.hasSatisfyAny && this.refusesAlone(entry)`,
      `this.refusesAlone(entry)`,
    ],
    'what stays: what refuses everybody is converted before an old section': [
      `&& STAGES.indexOf(earlierSection.stage) < STAGES.indexOf(entry.stage)`,
      ``,
    ],
  }),
  ...of('access-states', {
    'bases: what is optional never applies': [
      `isCertain ? distinct(statesAfter) : distinct([...possibleStates, ...statesAfter])`,
      `isCertain ? distinct(statesAfter) : possibleStates`,
    ],
    'bases: what is optional always applies': [
      `isCertain ? distinct(statesAfter) : distinct([...possibleStates, ...statesAfter])`,
      `distinct(statesAfter)`,
    ],
  }),
  ...of('inherited-by-section', {
    'merging: behind another section of the same walk': ['isFirstOfStage = false;', `;`],
  }),
  ...of('access-of-entries', {
    '.htaccess: AuthConfig is not asked for': [`if (!hasAuthConfig && !canAllowRequire) return`, `if (false) return`],
    '.htaccess: Limit is not asked for': [`return hostRules !== null && !hasLimit ?`, `return false ?`],
  }),
  ...of('conversion-input', {
    '.htaccess: AllowOverride is widened although nobody said so': [
      `mayWidenOverride: options.mayWidenOverride === true &&`,
      `mayWidenOverride:`,
    ],
  }),
  ...of('sections-before', {
    'bases: virtual hosts are passed over': [
      `if (entry.host !== null) return [entry.host];`,
      `if (true) return [entry.host];`,
    ],
    'bases: what a virtual host says of a directory around is passed over': [
      `...new Set(hostSectionIndex.entriesAround(entry).map(({ host }) => host))]`,
      `]`,
    ],
    'bases: where a virtual host has its directories is passed over': [
      '[...hostsApplyingAnywhere, ...foldersToSearch.map(({ host }) => host)]',
      '[...hostsApplyingAnywhere]',
    ],
    'bases: a virtual host whose sections may be anywhere is passed over': [
      '[...hostsApplyingAnywhere, ...foldersToSearch.map(({ host }) => host)]',
      `[...foldersToSearch.map(({ host }) => host)]`,
    ],
    'sections: locations in any order': [
      `const indexOfEntry = locations.indexOf(entry);`,
      `const indexOfEntry = locations.length;`,
    ],
  }),
  ...of('served-folders', {
    'places: UserDir is passed over': [`(mayBeUserUrl && scopeMappings.mayServeUsers) || `, ``],
    'places: UserDir is for every URL': [
      `(mayBeUserUrl && scopeMappings.mayServeUsers)`,
      `scopeMappings.mayServeUsers`,
    ],
    'places: an AliasMatch is passed over': [` || scopeMappings.aliasMatchPrefixes.some(mayMatch)`, ``],
    'places: an AliasMatch is for every URL': [
      `literalBegin.startsWith(prefixWithSingleSlashes) || prefixWithSingleSlashes.startsWith(literalBegin);`,
      `literalBegin !== prefixWithSingleSlashes || true;`,
    ],
    'places: a DocumentRoot that may not be there is the one': [
      `if (activity === 'active') return [...documentRoots];`,
      `return [...documentRoots];`,
    ],
    'places: an alias leads nowhere': [
      `aliases: linesNamed('alias', 'scriptalias').map(`,
      `aliases: linesNamed().map(`,
    ],
    'places: rewriting is passed over': [` || mayMapElsewhere(each))`, `)`],
    "places: the virtual host's DocumentRoot is passed over": [
      `const scopes = requestedHost ? [requestedHost, this.configuration.rootScope] : [this.configuration.rootScope];`,
      `const scopes = [this.configuration.rootScope]; void requestedHost;`,
    ],
  }),
  ...of('sections-of-host', {
    'bases: of a virtual host all places are as without it': [
      'mayApplyAnywhere(this.hostSections) ? this.folders.allItems : [',
      'mayApplyAnywhere(this.hostSections) ? [] : [',
    ],
    'bases: what virtual hosts say of all directories is passed over': [
      `if (entriesOfHost[i]!.stage === 'directory' && entriesOfHost[i]!.pathParts.length === 0)`,
      `if (false)`,
    ],
    'bases: of a virtual host its own places are as without it': [
      `? this.folders.itemsBelow(pathParts) : []`,
      `? [] : []`,
    ],
  }),
];

/**
 * The modules of server/src/access, with one mutant or none in them; everything else is the real
 * thing.
 */
export function accessModules(mutant: Mutant | null): (name: string) => any {
  // At once, so that a replacement that finds nothing, or makes no program, is an error and no
  // problem found.
  const broken = mutant && compiled(mutant.file, mutant);
  const modules = new Map<string, { exports: any }>();
  const load = (name: string): any => {
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const from = (request: string) =>
      request.startsWith('./')
        ? load(request.slice(2))
        : require(path.join(__dirname, '..', '..', 'server', 'src', 'access', request));
    (broken && name === mutant.file ? broken : compiled(name, null))(module, module.exports, from);
    return module.exports;
  };
  return load;
}

// ---------------------------------------------------------------------------------------------------------------------

type Body = (module: object, exports: object, require: (request: string) => unknown) => void;

const originals = new Map<string, Body>();

function compiled(name: string, mutant: Mutant | null): Body {
  const known = mutant === null ? originals.get(name) : undefined;
  if (known) return known;
  const source = readFileSync(path.join(repositoryRoot, 'server', 'src', 'access', `${name}.ts`), 'utf8');
  const { code } = transformSync(mutant ? replaced(source, mutant) : source, { loader: 'ts', format: 'cjs' });
  const body = new Function('module', 'exports', 'require', code) as Body;
  if (mutant === null) originals.set(name, body);
  return body;
}

function replaced(source: string, { name, file, from, to }: Mutant): string {
  const found = [...source.matchAll(withAnyFormat(from))];
  if (found.length !== 1)
    throw new Error(`mutant "${name}": "${from}" stands ${found.length} times in ${file}.ts; it must be once`);
  const [{ index, 0: text }] = found;
  return source.slice(0, index) + to + source.slice(index + text.length);
}

/**
 * Finds a piece of code however it is broken into lines: blanks, and commas and brackets that the
 * formatter adds, are the same to it.
 */
function withAnyFormat(code: string): RegExp {
  const characters = [...code.replace(/\s+/g, '')].map((each) => {
    const own = each.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    return /[)\]}]/.test(each) ? `,?\\s*${own}` : own;
  });
  return new RegExp(characters.join('\\s*'), 'g');
}
