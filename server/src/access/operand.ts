/**
 * The operands of `Allow from` and `Deny from`, as mod_authz_host of 2.2 reads them (allow_cmd in
 * modules/aaa/mod_authz_host.c; docs/access-control.md, "What 2.2 decides"): `all`, `env=V`,
 * `env=!V`, a network, an address or a part of one. Everything else is a host name.
 */
export type Operand =
  | { readonly kind: 'all' }
  /** Text that `Require ip` accepts with the same meaning. */
  | { readonly kind: 'ip'; readonly text: string }
  | { readonly kind: 'host'; readonly name: string }
  | { readonly kind: 'env'; readonly name: string; readonly isNegated: boolean }
  /**
   * A host name for 2.2 that no host can have, so it never matches: `10.0.0.1,10.0.0.2`,
   * `192.168.*`, `none`.
   */
  | { readonly kind: 'never'; readonly text: string }
  /** Text that both versions refuse. */
  | { readonly kind: 'error'; readonly text: string }
  /**
   * Text with an unknown meaning: it contains `${...}` or a parameter of a macro, or releases of
   * APR read it differently.
   */
  | { readonly kind: 'unknown'; readonly text: string };

const OCTET = String.raw`(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])`;

const ADDRESS = String.raw`${OCTET}\.${OCTET}\.${OCTET}\.${OCTET}`;

/**
 * Matches an `Allow from` or `Deny from` that has no other operands than whole IPv4 addresses and
 * the word `all`. Most lines are like that, and then no parser is needed.
 */
export const PLAIN_ADDRESS_LINE = new RegExp(
  String.raw`^\s*(?:Allow|Deny)[ \t]+from(?:[ \t]+(?:all|${ADDRESS}))+\s*$`,
  'i',
);

const WHOLE_ADDRESS = new RegExp(`^${ADDRESS}$`);

/** Reads one word after `from`. Keywords match in upper and lower case. */
export function parseOperand(word: string): Operand {
  // Most words are whole addresses. For them, the code below gives the same result, but takes
  // longer.
  if (WHOLE_ADDRESS.test(word)) return { kind: 'ip', text: word };
  // APR refuses an address that ends with the name of a network interface, such as `fe80::1%eth0`.
  if (/^[0-9a-f]*:[0-9a-f:.]*%\w+$/i.test(word)) return { kind: 'error', text: word };
  // A word that looks like a macro parameter can have any value.
  if (/\$\{|[$%@][\w(]/.test(word)) return { kind: 'unknown', text: word };
  const lowerCaseWord = word.toLowerCase();
  if (lowerCaseWord === 'all') return { kind: 'all' };
  if (lowerCaseWord === 'env=' || lowerCaseWord === 'env=!') return { kind: 'never', text: word };
  if (lowerCaseWord.startsWith('env=!')) return { kind: 'env', name: word.slice(5), isNegated: true };
  if (lowerCaseWord.startsWith('env=')) return { kind: 'env', name: word.slice(4), isNegated: false };
  if (word.includes('/')) return isNetwork(word) ? { kind: 'ip', text: word } : { kind: 'error', text: word };
  if (isIpv6(word) || isIpv4Part(word)) return { kind: 'ip', text: word };
  // `a::0:` is no address, but some versions of APR accept it.
  if (/^[0-9a-f:.]+:$/i.test(word)) return { kind: 'unknown', text: word };
  // APR reads a word of digits and dots, or with a colon, as an address. It refuses the word if
  // that is no valid address (looks_like_ip in sockaddr.c).
  if (/^[\d.]+$/.test(word) || word.includes(':')) return { kind: 'error', text: word };
  // A host name with a leading dot matches all names below it.
  if (
    /^\.?[a-z0-9_]([a-z0-9_-]*)(\.[a-z0-9_]([a-z0-9_-]*))*\.?$/i.test(word) &&
    /[a-z]/i.test(word) &&
    lowerCaseWord !== 'none'
  ) {
    return { kind: 'host', name: word };
  }
  return { kind: 'never', text: word };
}

/**
 * Whether an operand is the word `none`. 2.2 reads it as the host name of a client. The author of
 * the line probably meant that no client matches.
 */
export function isWordNone(operand: Operand): operand is Extract<Operand, { kind: 'never' }> {
  return operand.kind === 'never' && operand.text.toLowerCase() === 'none';
}

/**
 * An index to find the operands that contain a given operand, without comparing it with each of
 * them. An operand contains another if it matches every client that the other matches: the same
 * word, a larger IPv4 network, or `all`. If that is uncertain, the operand counts as not contained.
 */
export class OperandIndex {
  /** The index of the first `all`. Undefined if there is none. */
  private readonly indexOfFirstAll: number | undefined;
  private cachedIndex: {
    readonly firstIndexByKey: ReadonlyMap<string, number>;
    readonly masks: ReadonlySet<number>;
  } | null = null;

  constructor(private readonly operands: readonly Operand[]) {
    const indexOfAll = operands.findIndex(({ kind }) => kind === 'all');
    this.indexOfFirstAll = indexOfAll < 0 ? undefined : indexOfAll;
  }

  /** The index of the first operand that contains `inner`. Undefined if none does. */
  indexOfFirstContaining(inner: Operand): number | undefined {
    if (inner.kind === 'unknown') return undefined;
    if (this.indexOfFirstAll === 0 || inner.kind === 'all') return this.indexOfFirstAll;
    const innerKey = keyOfOperand(inner);
    if (innerKey === null) return this.indexOfFirstAll;
    const { firstIndexByKey, masks } = (this.cachedIndex ??= indexOperands(this.operands));
    const containingKeys = [innerKey];
    const network = inner.kind === 'ip' ? networkOf(inner.text) : null;
    if (network !== null)
      for (const mask of masks)
        if ((network.mask & mask) >>> 0 === mask) containingKeys.push(keyOfNetwork({ ...network, mask }));
    const indexes = [this.indexOfFirstAll, ...containingKeys.map((each) => firstIndexByKey.get(each))].filter(
      (each) => each !== undefined,
    );
    return indexes.length === 0 ? undefined : Math.min(...indexes);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether a word is one to four octets, with an optional dot at the end (parse_ip in APR's
 * sockaddr.c).
 */
function isIpv4Part(word: string): boolean {
  const octets = word.replace(/\.$/, '').split('.');
  return octets.length <= 4 && octets.every(isOctet);
}

function isNetwork(word: string): boolean {
  const slash = word.indexOf('/');
  const address = word.slice(0, slash);
  const mask = word.slice(slash + 1);
  if (isIpv6(address)) return /^\d+$/.test(mask) && Number(mask) > 0 && Number(mask) <= 128;
  if (!isFullIpv4(address)) return false;
  return isFullIpv4(mask) || (/^\d+$/.test(mask) && Number(mask) > 0 && Number(mask) <= 32);
}

function isFullIpv4(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every(isOctet);
}

function isOctet(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) <= 255;
}

function isIpv6(text: string): boolean {
  if (!text.includes(':') || !/^[0-9a-f:.]+$/i.test(text)) return false;
  // APR refuses IPv4-mapped IPv6 addresses here, because it compares them as IPv4
  // (apr_ipsubnet_create).
  if (/^(0*:)*:?0*:?ffff:\d+\.\d+\.\d+\.\d+$/i.test(text)) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  let groupCount = 0;
  for (let i = 0; i < groups.length; i++) {
    const isLastGroup = i === groups.length - 1;
    if (isLastGroup && groups[i]!.includes('.')) {
      if (!isFullIpv4(groups[i]!)) return false;
      groupCount += 2;
    } else if (/^0*[0-9a-f]{1,4}$/i.test(groups[i]!))
      groupCount++; // Leading zeros do not count (inet_pton6 in APR's inet_pton.c).
    else return false;
  }
  return halves.length === 2 ? groupCount <= 7 : groupCount === 8;
}

/**
 * Address and mask of an IPv4 network, an IPv4 address or a part of one. Null for IPv6
 * (apr_ipsubnet_create).
 */
function networkOf(text: string): { readonly address: number; readonly mask: number } | null {
  if (text.includes(':')) return null;
  const [address = '', mask] = text.replace(/\.$/, '').split('/');
  const octets = address.split('.');
  const numberOf = (parts: readonly string[]) =>
    [0, 1, 2, 3].reduce((sum, index) => sum * 256 + Number(parts[index] ?? 0), 0);
  const bits = mask === undefined ? octets.length * 8 : Number(mask);
  const maskNumber = mask?.includes('.') ? numberOf(mask.split('.')) : (-1 << (32 - bits)) >>> 0;
  return { address: (numberOf(octets) & maskNumber) >>> 0, mask: maskNumber };
}

/** Finds the index of the first operand with each key, and the masks of all IPv4 networks. */
function indexOperands(operands: readonly Operand[]): {
  readonly firstIndexByKey: ReadonlyMap<string, number>;
  readonly masks: ReadonlySet<number>;
} {
  const firstIndexByKey = new Map<string, number>();
  const masks = new Set<number>();
  for (const [index, operand] of operands.entries()) {
    const operandKey = keyOfOperand(operand);
    if (operandKey !== null && !firstIndexByKey.has(operandKey)) firstIndexByKey.set(operandKey, index);
    const network = operand.kind === 'ip' ? networkOf(operand.text) : null;
    if (network !== null) masks.add(network.mask);
  }
  return { firstIndexByKey, masks };
}

/**
 * A text that is equal for operands that match the same clients. Null if it is unknown which
 * clients the operand matches.
 */
function keyOfOperand(operand: Operand): string | null {
  switch (operand.kind) {
    case 'ip': {
      const network = networkOf(operand.text);
      return network === null ? `ip ${operand.text.toLowerCase()}` : keyOfNetwork(network);
    }
    case 'host':
      return `host ${operand.name.toLowerCase()}`;
    case 'env':
      return `env ${operand.isNegated} ${operand.name}`;
    default:
      return null;
  }
}

/** The key of an IPv4 network: the bits of the address that the mask keeps, and the mask. */
function keyOfNetwork({ address, mask }: { readonly address: number; readonly mask: number }): string {
  return `ip ${(address & mask) >>> 0}/${mask}`;
}
