/**
 * Makes a generated single file, converts it with the one answer that it needs ("nothing outside
 * restricts what it governs"), and makes a root for which the answer is true.
 */
import { STANDALONE_QUESTION_ID } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import type { Random } from '../support/random';
import { MAIN, ROOT, textsOf, type Generated, type Piece } from './generate';

const engineOf = (...answers: readonly (readonly [string, string])[]) =>
  new Engine({
    rules: ALL_RULES,
    answerSet: { answers: new Map([[STANDALONE_QUESTION_ID, 'none'], ...answers]), folder: '/' },
  });

const engine = engineOf();
/** The user answered that the server runs 2.2. */
const engineOf22 = engineOf(['running-version', '2.2']);

/** What does not restrict anything: how a server comes to the file. */
const ROOTS: readonly ((root: string) => string)[] = [
  () => '',
  (root) => `DocumentRoot ${root}\n`,
  (root) => `Alias /other ${root}/o\n`,
  () => '<Directory />\nOptions FollowSymLinks\nAllowOverride None\n</Directory>\n',
  () => `<Location />\nOptions FollowSymLinks\n</Location>\n`,
];

/** A virtual host beside those of the file. */
const HOST = (root: string) => `<VirtualHost *>\nServerName a.example\nDocumentRoot ${root}/a\n</VirtualHost>\n`;

type Around = (root: string, include: string) => string;

/** Sections that include the lines of another, and have no access lines. */
const DIRECTORIES: readonly Around[] = [
  (root, include) => `<Directory ${root}/htdocs>\nAllowOverride None\n${include}</Directory>\n`,
  (root, include) => `<Directory ${root}/htdocs/a>\n${include}${include}</Directory>\n`,
  (root, include) => `<DirectoryMatch "^${root}/htdocs/a/b">\n${include}</DirectoryMatch>\n`,
];

const AROUND: readonly Around[] = [
  ...DIRECTORIES,
  (_, include) => `<Location /a>\nOptions None\n${include}</Location>\n`,
  (_, include) => `<LocationMatch "secret">\n${include}</LocationMatch>\n`,
  (_, include) => `<Files *.txt>\n${include}</Files>\n`,
  (root, include) => `<Directory ${root}/htdocs/a>\n<Files "*.bak">\n${include}</Files>\n</Directory>\n`,
];

const HOST_AROUND: Around = (root, include) =>
  `<VirtualHost *>\nServerName a.example\nDocumentRoot ${root}/htdocs\n<Location />\n${include}</Location>\n</VirtualHost>\n`;

export interface LoneFile {
  readonly texts: Readonly<Record<string, string>>;
  readonly fixed: Readonly<Record<string, string>>;
  /** Whether no old line is left in it, and it includes no other file. */
  readonly isWhole: boolean;
}

/**
 * The same for a file with the lines of one section, which one or several sections of its roots
 * include.
 */
export function convertPart(
  generated: Generated,
  random: Random,
  { base = '', withHosts = true } = {},
): LoneFile | null {
  const isSection = (piece: Piece): piece is Exclude<Piece, string> =>
    typeof piece !== 'string' && /^<(directory|location|files)/i.test(piece.open);
  const { body } = random.pick(generated.files[MAIN].filter(isSection));
  const part = textsOf({ ...generated, files: { [MAIN]: body } }, base)[base + MAIN];
  const { text } = fixText(engine, part, { isHtaccess: false }, { rules: ['order-allow-deny'] });
  if (text === part) return null;
  const file = `${base}${ROOT}/conf/part.conf`;
  // httpd refuses Files in Files and in Location.
  const places = /<Files/i.test(part) ? DIRECTORIES : withHosts ? [...AROUND, HOST_AROUND] : AROUND;
  const around = Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
    random.pick(places)(base + ROOT, `Include ${file}\n`),
  );
  const main = `DocumentRoot ${base}${ROOT}/htdocs\n${random.pick(ROOTS)(base + ROOT)}${around.join('')}`;
  return {
    texts: { [base + MAIN]: main, [file]: part },
    fixed: { [base + MAIN]: main, [file]: text },
    isWhole: !/^[ \t]*(order|allow|deny|satisfy|include)\b/im.test(text),
  };
}

/**
 * null where nothing of it is converted. `withHosts`: its roots may have a virtual host of their
 * own.
 */
export function convertLone(
  generated: Generated,
  random: Random,
  { base = '', withHosts = true, is22 = false } = {},
): LoneFile | null {
  const part = textsOf(generated, base)[base + MAIN];
  const { text } = fixText(is22 ? engineOf22 : engine, part, { isHtaccess: false }, { rules: ['order-allow-deny'] });
  if (text === part) return null;
  const root = () => random.pick(withHosts ? [...ROOTS, HOST] : ROOTS)(base + ROOT);
  const file = `${base}${ROOT}/conf/part.conf`;
  const main = `${root()}Include ${file}\n${root()}`;
  return {
    texts: { [base + MAIN]: main, [file]: part },
    fixed: { [base + MAIN]: main, [file]: text },
    isWhole: !/^[ \t]*(order|allow|deny|satisfy|include)\b/im.test(text),
  };
}
