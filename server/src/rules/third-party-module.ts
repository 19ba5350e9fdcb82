import { isNewForServer } from '../config/target';
import { module as moduleNamed } from '../directives';
import { thirdPartyModule as thirdPartyModuleNamed, type ThirdPartyModule } from '../directives/third-party';
import { contentSpan, NO_FINDINGS, removeLine, shortened } from './support/edits';
import { Fact, hasFact } from './support/facts';
import { endInQuotes, loadModuleOf, type LoadModule } from './support/load-module';
import { PHP_QUESTION, phpQuestionFor } from './support/php';
import { REMOVED_MODULE_NAMES } from './removed-module';
import type { Finding, Fix, LineRule } from './rule';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { fittingTitle, titleToChange, titleToRemove } from './support/fix-title';

export const thirdPartyModule: LineRule = {
  id: 'third-party-module',
  title: 'A module that does not come with httpd and must be built for 2.4',
  consequence: 'may not start',
  fix: 'suggestion',
  checks: 'line',
  names: ['loadmodule', 'loadfile'],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [
    {
      title: 'The PHP module',
      before: 'LoadModule php5_module modules/libphp5.so\n',
      after: 'LoadModule php_module modules/libphp.so\n',
      finds: ['known'],
    },
    { title: 'An unknown module', before: 'LoadModule our_own_module modules/mod_our_own.so\n', finds: ['unknown'] },
    {
      title: 'Not reported: a file that was written for 2.4',
      before: 'LoadModule unixd_module modules/mod_unixd.so\nLoadModule wsgi_module modules/mod_wsgi.so\n',
      finds: [],
    },
  ],
  check({ line, context }) {
    if (context.fileContext?.isFor24) return NO_FINDINGS;
    if (line.name === 'loadfile') return findingsOfPhpLibrary(line);
    const loadModule = loadModuleOf(line);
    if (loadModule === null || !/^\w+$/.test(loadModule.identifier.value)) return NO_FINDINGS;
    const identifier = loadModule.identifier.value;
    const nameWithoutSuffix = identifier.replace(/_module$/, '');
    if (
      moduleNamed(identifier) ||
      REMOVED_MODULE_NAMES.has(nameWithoutSuffix) ||
      IDENTIFIER_OF_24.test(nameWithoutSuffix)
    )
      return NO_FINDINGS;
    const thirdParty = thirdPartyModuleNamed(identifier);
    if (thirdParty?.files24.includes(loadModule.fileName)) return NO_FINDINGS;
    // The rule load-module-file reports a line with a file of httpd that contains another module.
    if (/^mod_\w+\.so$/.test(loadModule.fileName) && moduleNamed(loadModule.fileName)) return NO_FINDINGS;
    if (thirdParty?.vendor !== undefined && thirdParty.vendor === context.distribution) return NO_FINDINGS;
    const advice = thirdParty && adviceWithPackage(thirdParty);
    const isPhp = /^php[345]$/.test(nameWithoutSuffix);
    // A server that already runs 2.4 has modules for 2.4, but may get another PHP with the upgrade.
    const runs24 = !isNewForServer(0, context.target);
    if (runs24 && !isPhp) return NO_FINDINGS;
    return [
      {
        messageId: advice === undefined ? 'unknown' : 'known',
        ...(runs24
          ? {
              what: `\`${shortened(identifier, 40)}\` is the module of PHP ${nameWithoutSuffix.slice(3)}`,
              consequence: 'check before the upgrade',
              cause: 'The modules of PHP 7 and 8 have other names.',
            }
          : {
              what: `\`${shortened(identifier, 40)}\` built for 2.2 does not load in 2.4`,
              cause: 'httpd 2.4 loads only modules that were built for 2.4. This module does not come with httpd.',
            }),
        help: advice ?? 'Install its build for 2.4, or build it from source.',
        ...contentSpan(line),
        fixes: isPhp ? fixesOfPhp(line, loadModule) : thirdParty ? fixesLoadingFileFor24(thirdParty, loadModule) : [],
        resolve: (facts) => (hasFact(facts, Fact.loads24) ? null : {}),
      },
    ];
  },
};

/** The fix that loads the module's file for 2.4 from the same directory, if its name changed. */
function fixesLoadingFileFor24({ load24 }: ThirdPartyModule, { identifier, file, fileName }: LoadModule): Fix[] {
  if (load24 === undefined || !/^\w+\.(so|dll)$/.test(fileName)) return [];
  const fileEnd = endInQuotes(file);
  const newFileName = load24.file.replace(/\.so$/, fileName.slice(fileName.lastIndexOf('.')));
  return [
    {
      title: titleToChange(fileName, newFileName),
      safety: 'suggestion',
      assumes: 'the build for 2.4 is in the same directory',
      edits: [
        {
          start: identifier.start + (identifier.quote === '' ? 0 : 1),
          end: endInQuotes(identifier),
          text: load24.identifier,
        },
        { start: fileEnd - fileName.length, end: fileEnd, text: newFileName },
      ],
    },
  ];
}

/**
 * The fixes for a LoadModule line of PHP. Since PHP 8, the identifier is php_module and the file is
 * libphp.so. Before PHP 8, both names contain the version (sapi/apache2handler/mod_php.c and
 * config.m4).
 */
function fixesOfPhp(line: Line, { identifier, file, fileName }: LoadModule): Fix[] {
  const questionOfLine = phpQuestionFor(shortened(line.text.trim(), 60));
  // `version`: the version in both names, which is empty for PHP 8.
  const fixLoading = (version: string): Fix => {
    const fileEnd = endInQuotes(file);
    const edits = [
      {
        start: identifier.start + (identifier.quote === '' ? 0 : 1),
        end: endInQuotes(identifier),
        text: `php${version}_module`,
      },
      { start: fileEnd - fileName.length, end: fileEnd, text: `libphp${version}.so` },
    ];
    return {
      title: `Load php${version}_module (PHP ${version === '' ? '8' : version}) instead of ${shortened(identifier.value)}`,
      safety: 'suggestion',
      isAppliedAlone: true,
      choice: { openQuestion: questionOfLine, values: [version === '' ? '8' : version] },
      edits,
    };
  };
  const fixOnWindows = (version: string): Fix => {
    const moduleName = version === '8' ? 'php' : `php${version}`;
    const fileEnd = endInQuotes(file);
    const edits = [
      {
        start: identifier.start + (identifier.quote === '' ? 0 : 1),
        end: endInQuotes(identifier),
        text: `${moduleName}_module`,
      },
      { start: fileEnd - fileName.length, end: fileEnd, text: `php${version}apache2_4.dll` },
    ];
    return {
      title: `Load ${moduleName}_module of php${version}apache2_4.dll (PHP ${version})`,
      safety: 'suggestion',
      isAppliedAlone: true,
      choice: { openQuestion: questionOfLine, values: [version] },
      edits,
    };
  };
  const fixesLoadingPhp: Fix[] = /^(lib|mod_)php[345]\.so$/.test(fileName)
    ? [fixLoading(''), fixLoading('7')]
    : PHP_FILE_ON_WINDOWS.test(fileName)
      ? [fixOnWindows('8'), fixOnWindows('7'), fixOnWindows('5')]
      : [];
  if (PHP_FILE_ON_WINDOWS.test(fileName)) return [...fixesLoadingPhp, removalFix(line)];
  return [
    ...fixesLoadingPhp,
    removalFix(line),
    {
      title: `Keep LoadModule ${shortened(identifier.value)} (a build for 2.4)`,
      safety: 'suggestion',
      isAppliedAlone: true,
      choice: { openQuestion: PHP_QUESTION, values: ['5'] },
      edits: [],
    },
  ];
}

/**
 * Matches the file of PHP's module for older httpd on Windows. The name contains the version of
 * httpd: php5apache2_2.dll is for 2.2 (manual of PHP, installation on Windows with Apache 2.x;
 * win32/build and sapi/apache2handler/config.w32).
 */
const PHP_FILE_ON_WINDOWS = /^php[45]apache2(_[02])?\.dll$/i;

/** The fix that removes a line of PHP, for a server that will have no PHP module. */
function removalFix(line: Line): Fix {
  return {
    title: fittingTitle(`${titleToRemove(line)} (for PHP-FPM or no PHP)`, titleToRemove(line)),
    safety: 'suggestion',
    isAppliedAlone: true,
    choice: { openQuestion: PHP_QUESTION, values: ['none'] },
    edits: [removeLine(line)],
  };
}

/** The finding for a LoadFile line of the library that PHP 4 or 5 needs on Windows. */
function findingsOfPhpLibrary(line: Line): readonly Finding[] {
  const [file, ...more] = argumentsOf(line);
  const libraryMatch = file && more.length === 0 ? /php([45])ts\.dll$/i.exec(file.value) : null;
  if (!file || !libraryMatch) return NO_FINDINGS;
  const fileEnd = endInQuotes(file);
  const fixLoading = (version: string): Fix => ({
    title: `Load php${version}ts.dll`,
    safety: 'suggestion',
    isAppliedAlone: true,
    choice: { openQuestion: PHP_QUESTION, values: [version] },
    edits:
      version === libraryMatch[1]
        ? []
        : [{ start: fileEnd - libraryMatch[0].length, end: fileEnd, text: `php${version}ts.dll` }],
  });
  return [
    {
      messageId: 'library',
      what: `\`${shortened(spelledName(line), 40)}\`: php${libraryMatch[1]}ts.dll belongs to PHP ${libraryMatch[1]}`,
      cause: 'The module of PHP needs the library of the same version.',
      help: 'Load the library of the version that you install.',
      ...contentSpan(line),
      fixes: [fixLoading('8'), fixLoading('7'), fixLoading('5'), removalFix(line)],
      resolve: (facts) => (hasFact(facts, Fact.loads24) ? null : {}),
    },
  ];
}

/** Matches identifiers, without `_module`, that no module for 2.2 has. */
const IDENTIFIER_OF_24 = /^(php|php7|mpm_\w+)$/;

/**
 * The advice for a third-party module by its identifier, file, source or short name; undefined if
 * it is unknown.
 */
export function thirdPartyAdvice(term: string): string | undefined {
  const knownModule = thirdPartyModuleNamed(term);
  return knownModule && adviceWithPackage(knownModule);
}

/** The advice for a module. Without one, names its package in Debian; undefined without both. */
function adviceWithPackage({ advice, package: debianPackage }: ThirdPartyModule): string | undefined {
  return advice ?? (debianPackage && `Debian has it for 2.4 in the package ${debianPackage}.`);
}
