/**
 * Changes to a configuration file that may change who has access: one line or section at a time, as
 * a user makes them by mistake.
 */
import type { Random } from '../support/random';

export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** Up to `most` different changes to files, each to one file. */
export function mutationsOf(files: Readonly<Record<string, string>>, random: Random, most: number): Mutation[] {
  const all = Object.entries(files).flatMap(([file, text]) =>
    Object.entries(KINDS).flatMap(([name, change]) => change(text).map((changed) => ({ name, file, text: changed }))),
  );
  const different = all.filter(({ file, text }) => text !== files[file]);
  // Each kind is as likely as another, however many lines it can change.
  const found: Mutation[] = [];
  while (found.length < most && different.length > 0) {
    const kinds = [...new Set(different.map(({ name }) => name))];
    const kind = random.pick(kinds);
    const [mutation] = different.splice(
      different.indexOf(random.pick(different.filter(({ name }) => name === kind))),
      1,
    );
    if (!found.some(({ file, text }) => file === mutation.file && text === mutation.text)) found.push(mutation);
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------

type Change = (text: string) => string[];

const KINDS: Readonly<Record<string, Change>> = {
  'a dropped Require': without(/^\s*require\s/i),
  'a dropped Deny': without(/^\s*deny\s/i),
  'a dropped Allow': without(/^\s*allow\s/i),
  'a dropped Order': without(/^\s*order\s/i),
  'a dropped Satisfy': without(/^\s*satisfy\s/i),
  'a dropped Alias': without(/^\s*(script)?alias(match)?\s/i),
  'a dropped AllowOverride': without(/^\s*allowoverride\s/i),
  'a dropped login': without(/^\s*(auth(type|name|userfile|groupfile))\s/i),
  'a wider address': replaced(
    /^(\s*(?:allow|deny) +from|\s*require +(?:not +)?ip)( .*?)\d+\.\d+(\/\d+)?[ \t]*$/im,
    '$1$2',
  ),
  'another address': replaced(/(?<=^\s*(?:allow|deny) +from.*)\b(127|10|192)\./im, '172.'),
  everyone: replaced(/^(\s*(?:allow|deny) +from) .*$/im, '$1 all'),
  'another login': replaced(/^(\s*require) +(?:user|group|valid-user)\b.*$/im, '$1 valid-user'),
  'the other Order': oneOf(
    replaced(/^(\s*order\s+)deny\s*,\s*allow/im, '$1allow,deny'),
    replaced(/^(\s*order\s+)allow\s*,\s*deny/im, '$1deny,allow'),
  ),
  'the other Satisfy': oneOf(replaced(/^(\s*satisfy\s+)any/im, '$1all'), replaced(/^(\s*satisfy\s+)all/im, '$1any')),
  'another AllowOverride': oneOf(
    ...['None', 'All', 'Limit', 'AuthConfig Limit'].map((words) =>
      replaced(/^(\s*allowoverride)\s.*$/im, `$1 ${words}`),
    ),
  ),
  'other methods': oneOf(
    replaced(/^(\s*<limit\s).*>/im, '$1PUT>'),
    replaced(/^(\s*<limitexcept\s).*>/im, '$1GET POST>'),
  ),
  'a dropped section': (text) => sectionsOf(text).map(({ start, end }) => text.slice(0, start) + text.slice(end)),
  'a moved section': (text) =>
    sectionsOf(text).map(({ start, end }) => `${text.slice(0, start)}${text.slice(end)}\n${text.slice(start, end)}`),
  'another path': replaced(/^(\s*<(?:directory|location) +"?[^*>\n]*?\/[^/*>"\n]+)\/?("?>)/im, '$1/zz$2'),
  'another virtual host': replaced(/^(\s*servername\s+)\S+/im, '$1elsewhere.test'),
  'a dropped Listen name': without(/^\s*(servername|serveralias)\s/i),
  'another AccessFileName': replaced(/^(\s*accessfilename\s).*/im, '$1.nothing'),
  'other Options': replaced(/^(\s*options\s).*/im, '$1None'),
};

function oneOf(...changes: readonly Change[]): Change {
  return (text) => changes.flatMap((change) => change(text));
}

/** The text without one of its matching lines. */
function without(pattern: RegExp): Change {
  return (text) => {
    const lines = text.split(/(?<=\n)/);
    return lines.flatMap((line, index) =>
      pattern.test(line) ? [lines.filter((_, other) => other !== index).join('')] : [],
    );
  };
}

/** The text with one of the matches replaced. */
function replaced(pattern: RegExp, by: string): Change {
  return (text) => {
    const lines = text.split(/(?<=\n)/);
    return lines.flatMap((line, index) =>
      pattern.test(line)
        ? [lines.map((each, other) => (other === index ? each.replace(pattern, by) : each)).join('')]
        : [],
    );
  };
}

/** Sections that decide access, each with its first and last line. */
function sectionsOf(text: string): { readonly start: number; readonly end: number }[] {
  return [
    ...text.matchAll(
      /^[ \t]*<(directory|location|files|directorymatch|locationmatch|filesmatch|limit|limitexcept)\b[^>]*>[^]*?^[ \t]*<\/\1>[ \t]*\n?/gim,
    ),
  ].map(({ index, 0: section }) => ({ start: index, end: index + section.length }));
}
