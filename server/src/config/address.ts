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
  const scope = host.indexOf('%');
  if (scope === host.length - 2) return null;
  return isIpv6ForApr(host.slice(1, scope < 0 ? -1 : scope)) ? { host, port } : null;
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
  const [, before = plainAddress, dotted] = /^(.*:)([\d.]+\.[\d.]+)$/.exec(plainAddress) ?? [];
  if (dotted !== undefined && dotted.split('.').some((octet) => octet.length > 1 && octet.startsWith('0')))
    return false;
  const groups = before.split(':').filter((group) => group !== '').length + (dotted === undefined ? 0 : 2);
  return plainAddress.includes('::') ? groups < 8 : groups === 8;
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
  let group = index;
  let groupValue = 0;
  let hasDigits = false;
  let hasGap = false;
  let bytes = 0;
  for (; index < text.length; index++) {
    const digit = parseInt(text[index]!, 16);
    if (!Number.isNaN(digit)) {
      groupValue = groupValue * 16 + digit;
      if (groupValue > 0xffff) return false;
      hasDigits = true;
    } else if (text[index] === ':') {
      group = index + 1;
      if (!hasDigits) {
        if (hasGap) return false;
        hasGap = true;
        continue;
      }
      if (bytes + 2 > 16) return false;
      bytes += 2;
      hasDigits = false;
      groupValue = 0;
    } else {
      if (text[index] !== '.' || bytes + 4 > 16 || !isIpv4ForApr(text.slice(group))) return false;
      bytes += 4;
      hasDigits = false;
      break;
    }
  }
  if (hasDigits) bytes += 2;
  return bytes === 16 || (bytes < 16 && hasGap);
}

/** Whether APR reads the text as an IPv4 address (inet_pton4). Leading zeros are ignored. */
function isIpv4ForApr(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => /^\d+$/.test(octet) && Number(octet) <= 255);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
