/** Our verdict and the server's on the same text: the lines that each refuses. */
import { Engine } from '../../server/src/analysis/engine';
import type { FileContext } from '../../server/src/config/file-context';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { configTestAll, type SandboxOptions, type ServerMessage } from './harness';

/** What the server refuses because of this machine and not because of the text. */
export const ENVIRONMENT =
  /does not exist|is empty|built-in and can't be loaded|[Bb]ad (user|group) name|is not a (valid )?directory|must be a valid directory|Could not open|Cannot load|No such file|[Uu]nable to (open|load|read)|must be a directory|Invalid Lua|not a directory|too many files|could not open|in the process of being|Can't open|cannot open|[Cc]annot access|couldn't open|file for map .* not found|Cannot access directory|Name or service not known error/;

export interface Refusal {
  /** 1-based: the last physical line of the logical one, as httpd counts. */
  readonly line: number;
  readonly text: string;
}

const engine = new Engine({ rules: ALL_RULES });

/** Facts about the text: with its tree if lines have to be distinguished. */
type Info = {
  readonly isHtaccess?: boolean;
  readonly fileContext?: FileContext;
  readonly furtherContexts?: readonly FileContext[];
};

/** Errors of all rules, those on one line together. */
export function ourErrors(text: string, info: Info | ((tree: Tree) => Info)): Refusal[] {
  const tree = Tree.parse(text);
  const own = typeof info === 'function' ? info(tree) : info;
  const lines = new Map<number, string[]>();
  const findings = engine.analyze(tree, { ...own, isHtaccess: own.isHtaccess ?? false }).findings();
  for (const { start, severity, rule, messageId, message } of findings) {
    if (severity !== 'error') continue;
    const line = logicalLineEnd(text, start);
    lines.set(line, [...(lines.get(line) ?? []), `${rule.id}/${messageId}: ${message}`]);
  }
  return [...lines].sort(([a], [b]) => a - b).map(([line, messages]) => ({ line, text: messages.join(' | ') }));
}

/** What the server refuses, line by line; what only this machine is to blame for is left out. */
export async function serverErrors(
  text: string,
  options: SandboxOptions,
): Promise<{ refused: Refusal[]; elsewhere: ServerMessage[] }> {
  const messages = await configTestAll(text, options);
  const own = messages.filter(({ message }) => !ENVIRONMENT.test(message));
  const name = options.name ?? 'httpd.conf';
  return {
    refused: own
      .filter(({ line, file }) => line !== undefined && file === name)
      .map(({ line, message }) => ({ line: line!, text: message })),
    elsewhere: own.filter(({ line, file }) => line === undefined || file !== name),
  };
}

export function logicalLineEnd(text: string, offset: number): number {
  const lines = text.split('\n');
  let line = text.slice(0, offset).split('\n').length;
  while (line < lines.length && /\\\r?$/.test(lines[line - 1])) line++;
  return line;
}
