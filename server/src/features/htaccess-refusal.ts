/** Explains a line of a .htaccess file that AllowOverride does not allow. */
import { directive as findDirective, displayName } from '../directives';
import type { LogLine } from './log-line';

/** The parts of the explanation, in Markdown. */
export interface HtaccessRefusal {
  /** One sentence that says what is wrong. */
  readonly headline: string;
  /** Why the server refused the line. */
  readonly meaning: string;
  /** What the user can do. */
  readonly remedy: string;
}

/**
 * The words of httpd for a line that AllowOverride does not allow. If the line is in a section,
 * httpd names that section instead of `here`; the cause is the same (invoke_cmd in server/config.c;
 * tried on 2.4.71).
 */
const ALLOW_OVERRIDE_REFUSAL = /^(<?\w+)>? not allowed (?:here|in <\w+> context)$/;

/** Directives that control access in 2.2 or in 2.4. */
const ACCESS_DIRECTIVES: ReadonlySet<string> = new Set(['require', 'order', 'allow', 'deny', 'satisfy']);

/**
 * Explains a line of the log about a refused line of a .htaccess file, whatever the name of that
 * file is. Null for other files and other words.
 */
export function htaccessRefusal({ isHtaccess, message }: LogLine): HtaccessRefusal | null {
  const refusedName = isHtaccess ? ALLOW_OVERRIDE_REFUSAL.exec(message)?.[1] : undefined;
  if (refusedName === undefined) return null;
  const refusedDirective = findDirective(refusedName);
  const facts = refusedDirective?.['2.4'] ?? refusedDirective?.['2.2'];
  const shownName = `\`${refusedDirective ? displayName(refusedDirective) : refusedName}\``;
  const headline = `${shownName} is not allowed in this .htaccess file`;
  const meaning = (reason: string) => `Requests for this directory get 500. ${reason}`;
  if (!facts)
    return {
      headline,
      meaning: meaning(`\`AllowOverride\` of this directory does not include the class of ${shownName}.`),
      remedy: `Ask who runs the server to add this class. ${DO_NOT_MOVE_ADVICE}`,
    };
  if (facts.override.length === 0)
    return {
      headline,
      meaning: meaning(`${shownName} is never allowed in a .htaccess file.`),
      remedy: `Ask who runs the server to write it into the main configuration.${
        refusedName.startsWith('<') ? ' Do not remove its tags alone: its lines then apply to the whole directory.' : ''
      }`,
    };
  const classesText = facts.override.join(' or ');
  const isAnyClass = classesText === 'All';
  return {
    headline,
    meaning: meaning(
      isAnyClass
        ? `${shownName} needs a class in \`AllowOverride\`, and that of this directory has none.`
        : `\`AllowOverride\` of this directory does not include ${classesText}, the class of ${shownName}.`,
    ),
    remedy: [
      `Ask who runs the server to add ${isAnyClass ? 'a class, such as AuthConfig,' : classesText} to the \`AllowOverride\` line of this directory.`,
      /^<?require/i.test(refusedName)
        ? 'Or put the old lines back (`httpd-upgrade undo`), and ask for mod_access_compat and `AllowOverride Limit`.'
        : '',
      refusedName.startsWith('<') || ACCESS_DIRECTIVES.has(refusedName.toLowerCase())
        ? DO_NOT_MOVE_ACCESS_ADVICE
        : DO_NOT_MOVE_ADVICE,
    ]
      .filter(Boolean)
      .join(' '),
  };
}

/** The last sentence of a remedy. For access lines, `DO_NOT_MOVE_ACCESS_ADVICE` replaces it. */
const DO_NOT_MOVE_ADVICE = 'Do not move the line: httpd refuses it at each place of this file.';
const DO_NOT_MOVE_ACCESS_ADVICE =
  'Do not move or remove the line: that changes who has access, and elsewhere in this file httpd refuses it, too.';
