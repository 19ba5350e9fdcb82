/**
 * Makes a generated single file, converts it with the one answer that it needs ("nothing outside
 * restricts what it governs"), and makes a root for which the answer is true.
 */
import { LONE_QUESTION } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import type { Random } from '../support/random';
import { MAIN, ROOT, textsOf, type Generated } from './generate';

const engine = new Engine({ rules: ALL_RULES, answered: { answers: new Map([[LONE_QUESTION, 'none']]), folder: '/' } });

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

export interface LoneFile {
  readonly texts: Readonly<Record<string, string>>;
  readonly fixed: Readonly<Record<string, string>>;
  /** Whether no old line is left in it, and it includes no other file. */
  readonly isWhole: boolean;
}

/** null where nothing of it is converted. `withHosts`: its roots may have a virtual host of their own. */
export function convertLone(
  generated: Generated,
  random: Random,
  { base = '', withHosts = true } = {},
): LoneFile | null {
  const part = textsOf(generated, base)[base + MAIN];
  const { text } = fixText(engine, part, { isHtaccess: false }, { rules: ['order-allow-deny'] });
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
