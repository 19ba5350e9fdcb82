/**
 * A line after the server has replaced its variables (ap_resolve_env: server/util.c in 2.2,
 * server/core.c in 2.4). The server does that before it parses words and quotes.
 */
import { lexLines, logicalText, type Line } from '../syntax/line';
import { replaceVariables } from '../syntax/variables';
import type { FileContext } from './file-context';

/**
 * The line with its variables replaced by their values. Null if a value is unknown, or if the name
 * of the directive has a variable. A name with a colon that has no value stays as it is written.
 */
export function expandedLine(line: Line, fileContext: FileContext | null): Line | null {
  if (!line.text.includes('${')) return line;
  if (fileContext === null || line.name.includes('${')) return null;
  let areValuesKnown = true;
  const expandedText = replaceVariables(logicalText(line).text, (name, matchedText) => {
    const value = fileContext.variable(name);
    if (typeof value === 'string') return value;
    if (!name.includes(':')) areValuesKnown = false;
    return matchedText;
  });
  return areValuesKnown ? (lexLines(`${expandedText}\n`)[0] ?? null) : null;
}
