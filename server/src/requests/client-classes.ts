/**
 * Finds addresses that stand for all clients: one address for each combination of networks that the
 * configuration names. Networks with a mask that is no prefix are left out.
 */

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
  const ranges = [...new Set(words)].flatMap((word) => rangeOf(word) ?? []);
  const ipv4Intervals = intervalsBetween(ranges.filter(({ isIpv6 }) => !isIpv6));
  const ipv6Intervals = intervalsBetween(ranges.filter(({ isIpv6 }) => isIpv6));
  const candidates: Candidate[] = [
    ...RARE_IPV4_ADDRESSES.map((address) => ({ address, ...networksOf(ipv4Number(address)!.value, ipv4Intervals) })),
    ...(ipv6Intervals.length > 0
      ? [{ address: RARE_IPV6_ADDRESS, ...networksOf(ipv6Number(RARE_IPV6_ADDRESS)!.value, ipv6Intervals) }]
      : []),
    ...numbersIn(ipv4Intervals, 1n << 32n).map(({ value, networks }) => ({ address: ipv4Text(value), ...networks })),
    ...numbersIn(ipv6Intervals, 1n << 128n).map(({ value, networks }) => ({ address: ipv6Text(value), ...networks })),
  ];
  const candidateByNetwork = new Map<AddressRange | null, Candidate>();
  for (const each of candidates)
    if (!candidateByNetwork.has(each.innermost)) candidateByNetwork.set(each.innermost, each);
  return [...candidateByNetwork.values()].sort((a, b) => a.networkCount - b.networkCount).map(({ address }) => address);
}

// ---------------------------------------------------------------------------------------------------------------------

/** A network: all addresses from `start` to `end`, as numbers. */
interface AddressRange {
  readonly isIpv6: boolean;
  readonly start: bigint;
  readonly end: bigint;
}

/** The addresses of a network. Null if the word is no network, or if its mask is no prefix. */
function rangeOf(word: string): AddressRange | null {
  const [base = '', mask] = word.split('/');
  const isIpv6 = base.includes(':');
  const addressBits = isIpv6 ? 128 : 32;
  const parsedBase = isIpv6 ? ipv6Number(base) : ipv4Number(base);
  if (!parsedBase) return null;
  let bits = parsedBase.prefixLength;
  if (mask !== undefined) {
    if (/^\d+$/.test(mask)) bits = Number(mask);
    else {
      const parsedMask = isIpv6 ? null : ipv4Number(mask);
      const maskBits = parsedMask?.value.toString(2).padStart(32, '0') ?? '';
      if (!/^1*0*$/.test(maskBits) || parsedMask?.prefixLength !== 32) return null;
      bits = maskBits.lastIndexOf('1') + 1;
    }
  }
  if (bits > addressBits) return null;
  const rangeSize = 1n << BigInt(addressBits - bits);
  const rangeStart = parsedBase.value - (parsedBase.value % rangeSize);
  return { isIpv6, start: rangeStart, end: rangeStart + rangeSize - 1n };
}

/**
 * The networks that contain an address. Two networks are disjoint, or one contains the other, so
 * the innermost network shows which other networks contain the address.
 */
interface Networks {
  /** Null if no network contains the address. */
  readonly innermost: AddressRange | null;
  readonly networkCount: number;
}

/** An address with the networks that contain it. */
interface Candidate extends Networks {
  readonly address: string;
}

/** The addresses from `start` to the next interval. The same networks contain all of them. */
interface Interval {
  readonly start: bigint;
  readonly networks: Networks;
}

/** The intervals between the ends of the ranges, in order, from the first start on. */
function intervalsBetween(ranges: readonly AddressRange[]): Interval[] {
  const compareNumbers = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
  const sortedRanges = [...ranges].sort((a, b) => compareNumbers(a.start, b.start) || compareNumbers(b.end, a.end));
  const rangeStarts = [...new Set(ranges.flatMap(({ start, end }) => [start, end + 1n]))].sort(compareNumbers);
  const rangesAround: AddressRange[] = [];
  let nextRangeIndex = 0;
  return rangeStarts.map((start) => {
    while (rangesAround.length > 0 && rangesAround.at(-1)!.end < start) rangesAround.pop();
    while (sortedRanges[nextRangeIndex]?.start === start) rangesAround.push(sortedRanges[nextRangeIndex++]!);
    return { start, networks: { innermost: rangesAround.at(-1) ?? null, networkCount: rangesAround.length } };
  });
}

/** The networks that contain an address (`value`). */
function networksOf(value: bigint, intervals: readonly Interval[]): Networks {
  return intervals.findLast(({ start }) => start <= value)?.networks ?? { innermost: null, networkCount: 0 };
}

/**
 * One number from each interval: the tenth number, because it looks like the address of a client.
 * In an interval of fewer numbers, the second or the only one. `limit`: the number after the last
 * address.
 */
function numbersIn(intervals: readonly Interval[], limit: bigint) {
  return intervals
    .filter(({ start }) => start < limit)
    .map(({ start, networks }, index) => {
      const count = (intervals[index + 1]?.start ?? limit) - start;
      return { value: count > 9n ? start + 9n : count > 1n ? start + 1n : start, networks };
    });
}

/**
 * Reads an IPv4 address or its beginning, such as `10.1`. `prefixLength`: the number of bits that
 * the text gives. Null for other texts.
 */
function ipv4Number(text: string): { readonly value: bigint; readonly prefixLength: number } | null {
  const octets = text.replace(/\.$/, '').split('.');
  if (octets.length > 4 || octets.some((octet) => !/^\d{1,3}$/.test(octet) || Number(octet) > 255)) return null;
  const fourOctets = [0, 1, 2, 3].map((index) => Number(octets[index] ?? 0));
  return {
    value: fourOctets.reduce((value, octet) => value * 256n + BigInt(octet), 0n),
    prefixLength: octets.length * 8,
  };
}

/** Reads an IPv6 address. Null for other texts. */
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
