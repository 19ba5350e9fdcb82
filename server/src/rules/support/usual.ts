/** Lines as most are, of which several rules say at a glance that there is nothing to find. */
import type { Glance } from '../rule';

/** `Require all granted` or `denied` as everybody writes it: the usual Require by far, and nobody's problem. */
export const REQUIRE_ALL: Glance = { passes: /^[ \t]*[Rr]equire[ \t]+all[ \t]+(granted|denied)\s*$/ };

const OCTET = String.raw`(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])`;

/** `Allow from` and `Deny from` with `all` or whole addresses of IPv4. */
export const ADDRESSES: Glance = {
  passes: new RegExp(
    String.raw`^\s*(?:Allow|Deny)[ \t]+from(?:[ \t]+(?:all|${OCTET}\.${OCTET}\.${OCTET}\.${OCTET}))+\s*$`,
    'i',
  ),
};
