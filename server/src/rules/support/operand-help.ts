/** Help for an operand of Require ip, Allow or Deny that is no address, network or host. */
import { shortened } from './edits';
import { correctedOperands } from '../../access/require';

/** Returns a sentence that shows the right form. `all` is the directive's form for all clients. */
export function helpForOperand(value: string, all: string): string {
  const meant = correctedOperands(value);
  if (meant?.includes('all')) return `For every client, use \`${all}\`.`;
  const shown = meant === null ? '' : `: \`${shortened(meant.join(' '), 60)}\``;
  if (/[,;]/.test(value)) return `Write spaces between arguments, and no commas${shown}.`;
  if (value.startsWith('*.') && meant !== null) return `Write the domain without the asterisk${shown}.`;
  if (value.includes('*') && meant !== null) return `Write the partial address without an asterisk${shown}.`;
  if (value.includes('/') && /^[\d./]+$/.test(value) && meant !== null)
    return `Write all four numbers of the network${shown}.`;
  return 'Write an address (`192.0.2.1`), a partial address (`192.0.2`) or a network (`192.0.2.0/24`).';
}
