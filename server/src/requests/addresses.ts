/**
 * Compares addresses with networks, as apr_ipsubnet_test does (APR's sockaddr.c). An IPv4 address
 * in IPv6 notation counts as IPv4.
 */

/**
 * Whether an address is in a network. `network`: an operand of `Require ip` or `Allow from`. Null
 * if the address or the network cannot be read.
 */
export function isInNetwork(network: string, address: string): boolean | null {
  const client = bytesOf(unmappedAddress(address));
  const [base = '', mask] = network.split('/');
  const isIpv6 = base.includes(':');
  if (client === null) return null;
  const baseAddress = isIpv6 ? bytesOf(base) : bytesOfIpv4Prefix(base);
  if (baseAddress === null) return null;
  if (baseAddress.bytes.length !== client.bytes.length) return false;
  const maskBytes = mask?.includes('.') ? bytesOf(mask) : null;
  if (mask?.includes('.') && maskBytes === null) return null;
  const prefixBits = mask === undefined ? baseAddress.prefixLength : Number(mask);
  const byteMasks = client.bytes.map((_, index) =>
    maskBytes
      ? maskBytes.bytes[index]!
      : (0xff << Math.max(0, 8 - Math.min(8, Math.max(0, prefixBits - index * 8)))) & 0xff,
  );
  return client.bytes.every(
    (byte, index) => (byte & byteMasks[index]!) === (baseAddress.bytes[index]! & byteMasks[index]!),
  );
}

/** Whether a text is an IPv4 or IPv6 address. */
export function isAddress(text: string): boolean {
  return bytesOf(unmappedAddress(text)) !== null;
}

/** Whether an address is one with which a machine reaches itself: 127.0.0.0/8 or ::1. */
export function isLoopback(address: string): boolean {
  return isInNetwork('127.0.0.0/8', address) === true || isInNetwork('::1', address) === true;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The bytes of an address, or of the beginning of one. */
interface AddressBytes {
  readonly bytes: readonly number[];
  /** The number of bits that the text gives, for example 16 for `10.1`. */
  readonly prefixLength: number;
}

/**
 * The address without brackets. An IPv4 address in IPv6 notation (`::ffff:10.0.0.1`) becomes
 * `10.0.0.1`.
 */
function unmappedAddress(address: string): string {
  const unbracketedAddress = address.replace(/^\[|\]$/g, '');
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(unbracketedAddress)?.[1] ?? unbracketedAddress;
}

/**
 * Reads an IPv4 address or its beginning, such as `10.1`: the missing bytes are 0. Null for other
 * texts.
 */
function bytesOfIpv4Prefix(text: string): AddressBytes | null {
  const octets = text.replace(/\.$/, '').split('.').map(Number);
  if (octets.length > 4 || octets.some((octet) => !(octet >= 0 && octet <= 255))) return null;
  return { bytes: [0, 1, 2, 3].map((index) => octets[index] ?? 0), prefixLength: octets.length * 8 };
}

/** Reads a whole IPv4 or IPv6 address. Null for other texts. */
function bytesOf(text: string): AddressBytes | null {
  if (!text.includes(':')) return /^\d+\.\d+\.\d+\.\d+$/.test(text) ? bytesOfIpv4Prefix(text) : null;
  if (!/^[\da-f:.]+$/i.test(text)) return null;
  const [textBeforeGap = '', textAfterGap, ...otherParts] = text.split('::');
  if (otherParts.length > 0) return null;
  const groupsBeforeGap = ipv6GroupsOf(textBeforeGap);
  const groupsAfterGap = ipv6GroupsOf(textAfterGap ?? '');
  const missingCount = 8 - groupsBeforeGap.length - groupsAfterGap.length;
  if (missingCount < 0 || (textAfterGap === undefined && missingCount !== 0)) return null;
  const groups = [...groupsBeforeGap, ...new Array<number>(missingCount).fill(0), ...groupsAfterGap];
  if (groups.some((group) => !(group >= 0 && group <= 0xffff))) return null;
  return { bytes: groups.flatMap((group) => [group >> 8, group & 0xff]), prefixLength: 128 };
}

/**
 * The groups of a part of an IPv6 address, as numbers. NaN for a group that is no number. An IPv4
 * address at the end gives two groups.
 */
function ipv6GroupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((word) => {
    const ipv4Bytes = word.includes('.') ? bytesOfIpv4Prefix(word) : null;
    if (ipv4Bytes)
      return [ipv4Bytes.bytes[0]! * 256 + ipv4Bytes.bytes[1]!, ipv4Bytes.bytes[2]! * 256 + ipv4Bytes.bytes[3]!];
    return [Number.parseInt(word, 16)];
  });
}
