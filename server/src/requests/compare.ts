/** Compares the answers that two real servers gave to the same request. */
import type { Access, RequestServer } from './model';

/** The answer of a real server: its status, and its header Location (null if it has none). */
export interface ReceivedAnswer {
  readonly status: number;
  readonly location: string | null;
}

/** The address to which a request was sent. Location in its answer may contain this address. */
export interface AskedAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Whether two answers differ in status or Location. Addresses and ports in Location do not count
 * if each server uses its own.
 */
export function answersDiffer(
  oldAnswer: ReceivedAnswer,
  newAnswer: ReceivedAnswer,
  askedAddresses: { readonly old: AskedAddress; readonly new: AskedAddress },
): boolean {
  if (oldAnswer.status !== newAnswer.status) return true;
  return (
    withoutAddress(oldAnswer.location, askedAddresses.old) !== withoutAddress(newAnswer.location, askedAddresses.new)
  );
}

/**
 * Whether a status agrees with the computed decision. An unknown decision agrees with each status.
 */
export function isStatusExpected(status: number, access: Access): boolean {
  switch (access) {
    case 'unknown':
      return true;
    case 'granted':
      return status !== 401 && status !== 403 && status !== 500;
    default:
      return status === STATUS_OF_ACCESS[access];
  }
}

/** Which server answers at the old address, and which at the new one. */
export const SERVER_AT_ADDRESS: { readonly old: RequestServer; readonly new: RequestServer } = {
  old: '2.2',
  new: '2.4',
};

// ---------------------------------------------------------------------------------------------------------------------

/** The status with which httpd refuses a request. */
const STATUS_OF_ACCESS = { denied: 403, login: 401, error: 500 } as const;

/**
 * The Location without the host and port to which the request was sent. Port 80 is left out, too.
 */
function withoutAddress(location: string | null, { host, port }: AskedAddress): string | null {
  if (location === null) return null;
  const [start = '', scheme, authority] = /^(https?:)\/\/([^/?#]*)/i.exec(location) ?? [];
  if (scheme === undefined) return location;
  const authorityWithoutPort = authority!.toLowerCase().replace(new RegExp(`:(${port}|80)$`), '');
  const shownAuthority =
    authorityWithoutPort.replace(/^\[|\]$/g, '') === host.toLowerCase() ? '' : authorityWithoutPort;
  return `${scheme.toLowerCase()}//${shownAuthority}${location.slice(start.length)}`;
}
