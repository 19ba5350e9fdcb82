/** What `httpd -t` is started with, and what it said. Values only. */

export interface ProgramRun {
  /** null where the program could not be started, or was stopped. */
  readonly code: number | null;
  /** All that it wrote. */
  readonly text: string;
}

export interface Verdict {
  readonly isFine: boolean;
  /** For people. */
  readonly summary: string;
  readonly problems: readonly { readonly uri: string; readonly line: number; readonly message: string }[];
}

/** Where nobody names a program. */
const USUAL = ['apachectl'];

/** `${file}` and `${folder}` stand for the main file and the workspace's directory; without `${file}`, `-t -f FILE` is put behind it. */
export function commandFor(given: readonly string[], file: string, folder: string): string[] {
  const command = given.length > 0 ? given : USUAL;
  const filled = command.map((word) => word.replaceAll('${file}', file).replaceAll('${folder}', folder));
  return command.some((word) => word.includes('${file}')) ? filled : [...filled, '-t', '-f', file];
}

/** As a person would type it. */
export function shellText(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

export function verdictOf({ code, text }: ProgramRun, uriOf: (path: string) => string | null): Verdict {
  const lines = text.split(/\r?\n/);
  const problems = lines.flatMap((line, index) => {
    // "AH00526: Syntax error on line 42 of /etc/httpd/conf/httpd.conf:", and the reason on the next line.
    const [, row, path] = /Syntax error on line (\d+) of (.+?):?$/.exec(line) ?? [];
    const uri = path === undefined ? null : uriOf(path);
    return uri === null ? [] : [{ uri, line: Number(row) - 1, message: lines[index + 1]?.trim() || line }];
  });
  const isFine = code === 0 && /Syntax OK/.test(text);
  if (isFine) return { isFine, problems: [], summary: 'httpd reads this configuration: Syntax OK.' };
  const first = problems[0]?.message ?? lines.find((line) => line.trim() !== '') ?? '';
  return { isFine, problems, summary: code === null ? `The check could not be run. ${first}`.trim() : `httpd refuses this configuration. ${first}`.trim() };
}
