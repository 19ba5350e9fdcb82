/**
 * Finds addresses that stand for all clients: one address for each combination of networks that the
 * configuration names. Networks with a mask that is no prefix are left out.
 */
import { isInNetwork } from './addresses';

/**
 * Addresses that configurations rarely name: three that are reserved for documentation (RFC 5737),
 * and one more.
 */
const RARE_IPV4_ADDRESSES = ['203.0.113.9', '198.51.100.9', '192.0.2.9', '8.8.4.9'];
const RARE_IPV6_ADDRESS = '2001:db8::9';

/**
 * Returns one address for each possible combination of these networks. The addresses in the fewest
 * networks come first. Words that are no networks are ignored.
 */
export function representativeAddresses(words: readonly string[]): string[] {
  const ipv4Ranges: AddressRange[] = [];
  const ipv6Ranges: AddressRange[] = [];
  const networks: string[] = [];
  for (const word of new Set(words)) {
    const networkRange = rangeOf(word);
    if (!networkRange) continue;
    networks.push(word);
    (networkRange.isIpv6 ? ipv6Ranges : ipv4Ranges).push(networkRange);
  }
  const candidates = [
    ...RARE_IPV4_ADDRESSES,
    ...(ipv6Ranges.length > 0 ? [RARE_IPV6_ADDRESS] : []),
    ...numbersBetweenEnds(ipv4Ranges).map(ipv4Text),
    ...numbersBetweenEnds(ipv6Ranges).map(ipv6Text),
  ];
  const classes = new Map<string, string>();
  for (const address of candidates) {
    const membershipKey = networks.map((network) => (isInNetwork(network, address) === true ? '1' : '0')).join('');
    if (!classes.has(membershipKey)) classes.set(membershipKey, address);
  }
  const weight = (key: string) => key.split('1').length;
  return [...classes].sort(([a], [b]) => weight(a) - weight(b)).map(([, address]) => address);
}

// ---------------------------------------------------------------------------------------------------------------------

interface AddressRange {
  readonly isIpv6: boolean;
  readonly start: bigint;
  readonly end: bigint;
}

function rangeOf(word: string): AddressRange | null {
  const [base = '', mask] = word.split('/');
  const isIpv6 = base.includes(':');
  const width = isIpv6 ? 128 : 32;
  const baseNumber = isIpv6 ? ipv6Number(base) : ipv4Number(base);
  if (!baseNumber) return null;
  let bits = baseNumber.prefixLength;
  if (mask !== undefined) {
    if (/^\d+$/.test(mask)) bits = Number(mask);
    else {
      const parsedMask = isIpv6 ? null : ipv4Number(mask);
      const maskBits = parsedMask?.value.toString(2).padStart(32, '0') ?? '';
      if (!/^1*0*$/.test(maskBits) || parsedMask?.prefixLength !== 32) return null;
      bits = maskBits.lastIndexOf('1') + 1;
    }
  }
  if (bits > width) return null;
  const rangeSize = 1n << BigInt(width - bits);
  const rangeStart = baseNumber.value - (baseNumber.value % rangeSize);
  return { isIpv6, start: rangeStart, end: rangeStart + rangeSize - 1n };
}

/**
 * One number from each interval between the ends of the ranges: the tenth number, because it looks
 * like the address of a client. In an interval of fewer numbers, the second or the only one.
 */
function numbersBetweenEnds(ranges: readonly AddressRange[]): bigint[] {
  const [limit] = ranges.map(({ isIpv6 }) => 1n << (isIpv6 ? 128n : 32n));
  if (limit === undefined) return [];
  const bounds = [...new Set(ranges.flatMap(({ start, end }) => [start, end + 1n]))]
    .filter((bound) => bound < limit)
    .sort((a, b) => (a < b ? -1 : 1));
  return bounds.map((bound, index) => {
    const nextBound = bounds[index + 1] ?? limit;
    return nextBound - bound > 9n ? bound + 9n : nextBound - bound > 1n ? bound + 1n : bound;
  });
}

function ipv4Number(text: string): { readonly value: bigint; readonly prefixLength: number } | null {
  const octets = text.replace(/\.$/, '').split('.');
  if (octets.length > 4 || octets.some((octet) => !/^\d{1,3}$/.test(octet) || Number(octet) > 255)) return null;
  const fourOctets = [0, 1, 2, 3].map((index) => Number(octets[index] ?? 0));
  return {
    value: fourOctets.reduce((value, octet) => value * 256n + BigInt(octet), 0n),
    prefixLength: octets.length * 8,
  };
}

function ipv6Number(text: string): { readonly value: bigint; readonly prefixLength: number } | null {
  if (!/^[\da-f:]+$/i.test(text) || text.split('::').length > 2) return null;
  const [textBeforeGap = '', textAfterGap] = text.split('::');
  const groupsBeforeGap = textBeforeGap === '' ? [] : textBeforeGap.split(':');
  const groupsAfterGap = textAfterGap === undefined || textAfterGap === '' ? [] : textAfterGap.split(':');
  const missingCount = 8 - groupsBeforeGap.length - groupsAfterGap.length;
  if (missingCount < 0 || (textAfterGap === undefined && missingCount > 0)) return null;
  const groups = [...groupsBeforeGap, ...new Array<string>(missingCount).fill('0'), ...groupsAfterGap];
  if (groups.some((group) => group === '' || group.length > 4)) return null;
  return {
    value: groups.reduce((value, group) => value * 65536n + BigInt(Number.parseInt(group, 16)), 0n),
    prefixLength: 128,
  };
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
}

function ipv6Text(value: bigint): string {
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16));
  return groups.join(':').replace(/(^|:)0(:0)+(:|$)/, '::');
}
