/**
 * Addresses with ports as httpd reads them in Listen and `<VirtualHost>`: apr_parse_addr_port of
 * APR's sockaddr.c, and inet_pton.c, which it calls for IPv6. Names are not looked up here.
 */

/** An address with a port, as in Listen and `<VirtualHost>`. */
export interface Address {
  /** The host as written, an IPv6 address with its brackets. Null for a port alone. */
  readonly host: string | null;
  /** The port; 0 if there is none. */
  readonly port: number;
}

/** Splits `host:port`, `[v6]:port` or `port`. Null if APR refuses the text. */
export function parseAddressAndPort(text: string): Address | null {
  let digitsStart = text.length;
  while (digitsStart > 0 && isDigit(text.charCodeAt(digitsStart - 1))) digitsStart--;
  if (digitsStart === 0) {
    const port = portOf(text);
    return port === null ? null : { host: null, port };
  }
  let host = text;
  let port = 0;
  if (digitsStart < text.length && text[digitsStart - 1] === ':') {
    const portNumber = portOf(text.slice(digitsStart));
    if (digitsStart === 1 || portNumber === null) return null;
    host = text.slice(0, digitsStart - 1);
    port = portNumber;
  }
  if (!host.startsWith('[')) return { host, port };
  if (host.indexOf(']') !== host.length - 1) return null;
  const scopeIndex = host.indexOf('%');
  if (scopeIndex === host.length - 2) return null;
  return isIpv6ForApr(host.slice(1, scopeIndex < 0 ? -1 : scopeIndex)) ? { host, port } : null;
}

/** Maximum length of an address. INET6_ADDRSTRLEN is 46, and a scope may follow the address. */
const MAX_ADDRESS_LENGTH = 200;

/**
 * Whether the C library reads an IPv6 address as APR does. It accepts at most four digits in a
 * group, and APR accepts any number of digits.
 */
export function isPlainIpv6(host: string): boolean {
  if (host.length > MAX_ADDRESS_LENGTH) return false;
  const plainAddress = host.replace(/^\[|(%.*)?\]$/g, '');
  if (/[\da-f]{5}/i.test(plainAddress) || /[^:]:$/.test(plainAddress)) return false;
  const [, hexPart = plainAddress, dottedPart] = /^(.*:)([\d.]+\.[\d.]+)$/.exec(plainAddress) ?? [];
  if (dottedPart !== undefined && dottedPart.split('.').some((octet) => octet.length > 1 && octet.startsWith('0')))
    return false;
  const groupCount =
    hexPart.split(':').filter((groupStart) => groupStart !== '').length + (dottedPart === undefined ? 0 : 2);
  return plainAddress.includes('::') ? groupCount < 8 : groupCount === 8;
}

/**
 * Converts digits to a port as atoi does: it reads a long and converts it to an int. Null if the
 * result is no port from 1 to 65535.
 */
function portOf(digits: string): number | null {
  if (digits === '') return null;
  const maxLong = 2n ** 63n - 1n;
  const longValue = BigInt(digits.length > 40 ? maxLong : digits);
  const port = Number(BigInt.asIntN(32, longValue > maxLong ? maxLong : longValue));
  return port >= 1 && port <= 65535 ? port : null;
}

/**
 * Whether APR reads the text as an IPv6 address (inet_pton6). Unlike the C library, APR accepts any
 * number of digits in a group whose value fits into 16 bits. It also accepts a colon after the last
 * group.
 */
function isIpv6ForApr(text: string): boolean {
  let index = 0;
  if (text.startsWith(':')) {
    if (text[1] !== ':') return false;
    index = 1;
  }
  let groupStart = index;
  let groupValue = 0;
  let hasDigits = false;
  let hasGap = false;
  let byteCount = 0;
  for (; index < text.length; index++) {
    const digit = parseInt(text[index]!, 16);
    if (!Number.isNaN(digit)) {
      groupValue = groupValue * 16 + digit;
      if (groupValue > 0xffff) return false;
      hasDigits = true;
    } else if (text[index] === ':') {
      groupStart = index + 1;
      if (!hasDigits) {
        if (hasGap) return false;
        hasGap = true;
        continue;
      }
      if (byteCount + 2 > 16) return false;
      byteCount += 2;
      hasDigits = false;
      groupValue = 0;
    } else {
      if (text[index] !== '.' || byteCount + 4 > 16 || !isIpv4ForApr(text.slice(groupStart))) return false;
      byteCount += 4;
      hasDigits = false;
      break;
    }
  }
  if (hasDigits) byteCount += 2;
  return byteCount === 16 || (byteCount < 16 && hasGap);
}

/** Whether APR reads the text as an IPv4 address (inet_pton4). Leading zeros are ignored. */
function isIpv4ForApr(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => /^\d+$/.test(octet) && Number(octet) <= 255);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
