/** Help for an operand of Require ip, Allow or Deny that is no address, network or host. */
import { shortened } from './edits';
import { correctedOperands } from '../../access/require';

/** A sentence that shows the right form. `textForAll`: the directive's form for all clients. */
export function helpForOperand(value: string, textForAll: string): string {
  const correctedWords = correctedOperands(value);
  if (correctedWords?.includes('all')) return `For every client, use \`${textForAll}\`.`;
  const shownCorrection = correctedWords === null ? '' : `: \`${shortened(correctedWords.join(' '), 60)}\``;
  if (/[,;]/.test(value)) return `Write spaces between arguments, and no commas${shownCorrection}.`;
  if (value.startsWith('*.') && correctedWords !== null)
    return `Write the domain without the asterisk${shownCorrection}.`;
  if (value.includes('*') && correctedWords !== null)
    return `Write the partial address without an asterisk${shownCorrection}.`;
  if (value.includes('/') && /^[\d./]+$/.test(value) && correctedWords !== null)
    return `Write all four numbers of the network${shownCorrection}.`;
  return 'Write an address (`192.0.2.1`), a partial address (`192.0.2`) or a network (`192.0.2.0/24`).';
}
