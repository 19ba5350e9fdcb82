/**
 * A line after the server has replaced its variables (ap_resolve_env: server/util.c in 2.2,
 * server/core.c in 2.4). The server does that before it parses words and quotes.
 */
import { lexLines, logicalText, type Line } from '../syntax/line';
import { replaceVariables } from '../syntax/variables';
import type { FileContext } from './file-context';

/**
 * The line with its variables replaced by their values. Null if a value is unknown, or if the name
 * of the directive has a variable.
 */
export function expandedLine(line: Line, fileContext: FileContext | null): Line | null {
  if (!line.text.includes('${')) return line;
  if (fileContext === null || line.name.includes('${')) return null;
  let areValuesKnown = true;
  const expandedText = replaceVariables(logicalText(line).text, (name, matchedText) => {
    const value = fileContext.variable(name);
    if (typeof value !== 'string') areValuesKnown = false;
    return typeof value === 'string' ? value : matchedText;
  });
  return areValuesKnown ? (lexLines(`${expandedText}\n`)[0] ?? null) : null;
}
