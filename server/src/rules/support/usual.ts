/** Lines as most are, of which several rules say at a glance that there is nothing to find. */
import { PLAIN_ADDRESSES } from '../../access/operand';
import type { Glance } from '../rule';

const PATH = String.raw`(?:"[\w ./-]+"|[\w./-]+)`;

/** A name and nothing else. */
export const SERVER_NAME: Glance = { passes: /^\s*ServerName[ \t]+[\w.-]+\s*$/i };

/** Two plain paths. In a place with a path, Alias takes one word. */
export const ALIAS: Glance = {
  passes: new RegExp(String.raw`^\s*Alias[ \t]+${PATH}[ \t]+${PATH}\s*$`, 'i'),
  at: 'server',
};

/** An address or a name of a mailbox. */
export const SERVER_ADMIN: Glance = { passes: /^\s*ServerAdmin[ \t]+[\w.@+-]+\s*$/i };

export const DOCUMENT_ROOT: Glance = { passes: new RegExp(String.raw`^\s*DocumentRoot[ \t]+${PATH}\s*$`, 'i') };

/** `Require all granted` or `denied` as everybody writes it: the usual Require by far, and nobody's problem. */
export const REQUIRE_ALL: Glance = { passes: /^[ \t]*[Rr]equire[ \t]+all[ \t]+(granted|denied)\s*$/ };

/** `Allow from` and `Deny from` with `all` or whole addresses of IPv4. */
export const ADDRESSES: Glance = { passes: PLAIN_ADDRESSES };
