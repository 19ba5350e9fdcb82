/** Lines as most are, of which several rules say at a glance that there is nothing to find. */
import { PLAIN_ADDRESSES } from '../../access/operand';
import type { Glance } from '../rule';

/** `Require all granted` or `denied` as everybody writes it: the usual Require by far, and nobody's problem. */
export const REQUIRE_ALL: Glance = { passes: /^[ \t]*[Rr]equire[ \t]+all[ \t]+(granted|denied)\s*$/ };

/** `Allow from` and `Deny from` with `all` or whole addresses of IPv4. */
export const ADDRESSES: Glance = { passes: PLAIN_ADDRESSES };
