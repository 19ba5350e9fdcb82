/** Writes a difference to standard output, with colours on a terminal. */
import { encode } from '../host/decode';
import type { InputFile } from './files';
import type { Output } from './output';
import { printableLines, type Style, type Terminal } from './terminal';

/** Writes the difference in the encoding of the file, because `patch` compares bytes. */
export async function writeDiff(
  file: InputFile,
  before: string,
  after: string,
  terminal: Terminal,
  output: Output,
): Promise<void> {
  const { unifiedDiff } = await import('./diff');
  const [from = '', to = '', ...rows] = unifiedDiff(file.path, before, after).split(/(?<=\n)/);
  output.write(terminal.style('bold', from.trimEnd()) + from.slice(from.trimEnd().length));
  output.write(terminal.style('bold', to.trimEnd()) + to.slice(to.trimEnd().length));
  const shownRows = rows.map((row) => {
    // On a screen, control characters become visible text. A pipe to `patch` needs the original
    // bytes.
    const visibleRow = terminal.isScreen ? printableLines(row) : row;
    const style = DIFF_STYLES[visibleRow[0]!];
    return style ? terminal.style(style, visibleRow.slice(0, -1)) + visibleRow.slice(-1) : visibleRow;
  });
  output.write(encode(shownRows.join(''), file.encoding) ?? shownRows.join(''));
}

const DIFF_STYLES: Readonly<Record<string, Style>> = { '@': 'cyan', '-': 'red', '+': 'green' };
