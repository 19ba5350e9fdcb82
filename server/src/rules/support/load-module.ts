/** The arguments of LoadModule lines, and edits of them. */
import { argumentsOf, type Line, type Word } from '../../syntax/line';
import { containsVariable } from './edits';
import type { Edit, Finding, Fix } from '../rule';
import { Fact, hasFact } from './facts';

export interface LoadModule {
  /** The identifier, such as `alias_module`. */
  readonly identifier: Word;
  readonly file: Word;
  /** The last component of the path: `mod_alias.so`. */
  readonly fileName: string;
}

/**
 * Reads a LoadModule line. Returns null if the line does not have two arguments, or if the
 * identifier or the file name has a variable. The directory of the file may have one.
 */
export function loadModuleOf(line: Line): LoadModule | null {
  const [identifier, file, ...more] = argumentsOf(line);
  if (identifier === undefined || file === undefined || more.length > 0 || containsVariable(identifier)) return null;
  const fileName = file.value.slice(Math.max(file.value.lastIndexOf('/'), file.value.lastIndexOf('\\')) + 1);
  return containsVariable(fileName) ? null : { identifier, file, fileName };
}

/**
 * The fixes of a LoadModule line, as parts of its finding. Such a fix can change the result of an
 * `<IfModule>`. So it becomes a suggestion if the file has the fact dependsOnOldModule.
 */
export function suggestionsIfTested(fixes: readonly Fix[]): Pick<Finding, 'fixes' | 'resolve'> {
  return {
    fixes: fixes.map((fix): Fix => (fix.safety === 'safe' ? { ...fix, mayChangeConditions: true } : fix)),
    resolve: (facts) =>
      hasFact(facts, Fact.dependsOnOldModule)
        ? {
            fixes: fixes.map((fix) => ({
              ...fix,
              safety: 'suggestion',
              assumes: fix.assumes ?? 'the lines in the `<IfModule>` of this module may have another effect',
            })),
          }
        : {},
  };
}

/**
 * Edits that make a LoadModule line load another module of httpd from the same directory, or from
 * the directory that replaces it in 2.4. `name` is `cache_disk` for cache_disk_module.
 */
export function editsToLoad({ identifier, file, fileName }: LoadModule, name: string): Edit[] {
  const fileEnd = endInQuotes(file);
  const directory = file.value.slice(0, -fileName.length);
  const directoryOf24 = withDirectoryOf24(directory);
  return [
    {
      start: identifier.start + (identifier.quote === '' ? 0 : 1),
      end: endInQuotes(identifier),
      text: `${name}_module`,
    },
    directoryOf24 === directory
      ? { start: fileEnd - fileName.length, end: fileEnd, text: `mod_${name}.so` }
      : { start: fileEnd - fileName.length - directory.length, end: fileEnd, text: `${directoryOf24}mod_${name}.so` },
  ];
}

/**
 * Directories of modules with the version in the path: the one of the 2.2 package and the one of
 * the 2.4 package. FreeBSD: pkg-plist of www/apache22 and www/apache24. Solaris: apache22 and
 * apache24 of oi-userland.
 */
export const MODULE_DIRECTORIES: readonly (readonly [from: string, to: string])[] = [
  ['/usr/local/libexec/apache22', '/usr/local/libexec/apache24'],
  ['/usr/apache2/2.2/libexec', '/usr/apache2/2.4/libexec'],
];

/** Replaces a module directory of 2.2 by that of 2.4. The path may be relative to ServerRoot. */
export function withDirectoryOf24(text: string): string {
  return text
    .replace(/\blibexec\/apache22\//, 'libexec/apache24/')
    .replace('/apache2/2.2/libexec/', '/apache2/2.4/libexec/');
}

/** The end of the word without its closing quote. */
export function endInQuotes(word: Word): number {
  return word.quote !== '' && word.isTerminated ? word.end - 1 : word.end;
}
