/**
 * The rules' own examples in other forms: changes that an administrator may make to lines with and
 * without changing their meaning.
 */
import { ALL_RULES } from '../../server/src/rules/all';
import { isAboutComments, type Example } from '../../server/src/rules/rule';

export type Dress = (text: string) => string;

/** What the server reads alike. */
export const ALIKE: Readonly<Record<string, Dress>> = {
  'CR LF': (text) => text.replace(/(?<!\r)\n/g, '\r\n'),
  'upper case': (text) =>
    text.replace(/^([ \t]*<?\/?)([A-Za-z]\w*)/gm, (_, lead: string, name: string) => lead + name.toUpperCase()),
  'lower case': (text) =>
    text.replace(/^([ \t]*<?\/?)([A-Za-z]\w*)/gm, (_, lead: string, name: string) => lead + name.toLowerCase()),
  indented: (text) => text.replace(/^(?=.)/gm, '\t\t'),
  'blanks at line ends': (text) => text.replace(/(?<=[^\\\n])$/gm, '  '),
  'comments between': (text) => text.replace(/^(?=.)/gm, '# was Deny from all\n\n'),
  'no last line end': (text) => text.replace(/\n$/, ''),
  'in a version that is there': (text) => `<IfVersion >= 2.0>\n${text}</IfVersion>\n`,
  'in a module that is there': (text) => `<IfModule mod_so.c>\n${text}</IfModule>\n`,
  'in a module that may be there': (text) => `<IfModule mod_foo.c>\n${text}</IfModule>\n`,
  'in a definition that may be there': (text) => `<IfDefine !X>\n${text}</IfDefine>\n`,
};

/** What 2.4 does not read. */
export const UNREAD: Readonly<Record<string, Dress>> = {
  'of another version': (text) => `<IfVersion < 2.4>\n${text}</IfVersion>\n`,
  'of 2.2, as applications have it': (text) => `<IfModule !mod_authz_core.c>\n${text}</IfModule>\n`,
  'of another version, further in': (text) =>
    `<IfDefine X>\n<IfVersion < 2.3>\n<IfModule mod_x.c>\n${text}</IfModule>\n</IfVersion>\n</IfDefine>\n`,
};

/** What says something else, or in another place. */
export const OTHERWISE: Readonly<Record<string, Dress>> = {
  continued: (text) => text.replace(/^([ \t]*[A-Za-z]\w*) (?=.)/gm, '$1 \\\n    '),
  'in a macro': (text) => `<Macro m $x>\n${text}</Macro>\nUse m 1\n`,
  'in a virtual host': (text) => `<VirtualHost *:80>\n${text}</VirtualHost>\n`,
  'in a directory': (text) => `<Directory /z>\n${text}</Directory>\n`,
  'in an expression': (text) => `<Directory /z>\n<If "true">\n${text}</If>\n</Directory>\n`,
  twice: (text) => text + text,
  'if and if not': (text) => `<IfModule mod_foo.c>\n${text}</IfModule>\n<IfModule !mod_foo.c>\n${text}</IfModule>\n`,
};

export interface NamedExample extends Example {
  readonly rule: string;
}

/** Those of rules about one file. */
export function examplesOfFiles(): NamedExample[] {
  return ALL_RULES.filter((rule) => rule.checks !== 'configuration' && !isAboutComments(rule)).flatMap((rule) =>
    rule.examples.map((example) => ({
      rule: rule.id,
      ...example,
      before: example.before.endsWith('\n') ? example.before : `${example.before}\n`,
    })),
  );
}
