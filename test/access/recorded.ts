/**
 * Reads recorded-answers.json: configurations, and the answers of a real httpd 2.2.35 to 450
 * questions each.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readConfiguration, readHtaccess, type Configuration } from '../../server/src/config/configuration';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import type { HtaccessFile } from '../../server/src/access/sections';
import { memoryFiles } from '../../server/src/config/memory-files';
import { repositoryRoot } from '../support/paths';

export interface Scenario {
  readonly id: string;
  readonly conf: string;
  /** Of the folder `sub/`. */
  readonly htaccess?: string;
  /** One digit a question: 1 is 401, 2 let in, 3 is 403. */
  readonly answers22: string;
  /** The same of 2.4 with mod_access_compat. */
  readonly answers24compat: string;
}

export interface Recorded {
  /**
   * "client address, method, path below /<id>/, user:password or -, value of the X-Flag header or
   * -"
   */
  readonly questions: readonly string[];
  /** The 2.2 server's main file; `@ROOT@` is its folder. */
  readonly main: string;
  readonly passwd: string;
  readonly group: string;
  readonly scenarios: readonly Scenario[];
}

export interface Question {
  readonly from: string;
  readonly method: string;
  readonly file: string;
  readonly user: string | null;
  readonly password: string | null;
  /** The variable that is set. */
  readonly variable: string | null;
}

/** Stands for the recording server's folder. */
export const ROOT = '/srv/recorded';
export const MAIN = `${ROOT}/conf/httpd.conf`;
export const FILES = ['index.html', 'sub/index.html', 'sub/secret.txt'];

export function readRecorded(): Recorded {
  return JSON.parse(
    readFileSync(path.join(repositoryRoot, 'test', 'access', 'recorded-answers.json'), 'utf8'),
  ) as Recorded;
}

export function readQuestion(text: string): Question {
  const [from, method, file, credentials, variable] = text.split(' ');
  const [user, password] = credentials === '-' ? [null, null] : credentials.split(':');
  return { from, method, file, user, password, variable: variable === '-' ? null : variable };
}

/** The user that the password file knows by these credentials. */
export function knownUser({ user, password }: Question): string | null {
  return user !== null && password === { alice: 'a', bob: 'b', carol: 'c' }[user] ? user : null;
}

export function isInStaff(user: string): boolean {
  return user === 'carol';
}

/** Path to text of the whole configuration. */
export function textsOf({ main, scenarios }: Recorded): Record<string, string> {
  const local = (text: string) => text.replaceAll('@ROOT@', ROOT).replaceAll('@MODULES@', 'modules');
  const texts: Record<string, string> = { [MAIN]: local(main) };
  for (const { id, conf, htaccess } of scenarios) {
    texts[confOf(id)] = local(conf);
    if (htaccess !== undefined) texts[htaccessOf(id)] = local(htaccess);
  }
  return texts;
}

/** The whole configuration as the product reads it. */
export function configurationOf(recorded: Recorded): {
  readonly configuration: Configuration;
  readonly htaccess: readonly HtaccessFile[];
} {
  const options = { view: memoryFiles(textsOf(recorded)), names: ACCESS_NAMES, serverRoot: ROOT };
  const configuration = readConfiguration({ ...options, root: MAIN })!;
  const htaccess = recorded.scenarios.flatMap(({ id, htaccess: text }) => {
    if (text === undefined) return [];
    const file = htaccessOf(id);
    return [
      { scope: readHtaccess({ ...options, root: file, folder: path.posix.dirname(file) })!, overrideWords: ['all'] },
    ];
  });
  return { configuration, htaccess };
}

export function confOf(id: string): string {
  return `${ROOT}/conf/scenarios/${id}.conf`;
}

export function htaccessOf(id: string): string {
  return `${ROOT}/htdocs/${id}/sub/.htaccess`;
}
