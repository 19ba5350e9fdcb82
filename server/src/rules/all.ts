/** Every rule, in the order of the documentation. */
import { authzAuthoritative } from './authz-authoritative';
import { defaultType } from './default-type';
import { keepAliveValue } from './keep-alive-value';
import { maxClients } from './max-clients';
import { maxRequestsPerChild } from './max-requests-per-child';
import { mutexDirective } from './mutex-directive';
import { nameVirtualHost } from './name-virtual-host';
import { orderAllowDeny } from './order-allow-deny';
import { rewriteLog } from './rewrite-log';
import { sslProtocolSslv2 } from './ssl-protocol-sslv2';
import type { Rule } from './rule';

export const ALL_RULES: readonly Rule[] = [
  orderAllowDeny,
  authzAuthoritative,
  rewriteLog,
  mutexDirective,
  defaultType,
  nameVirtualHost,
  maxClients,
  maxRequestsPerChild,
  keepAliveValue,
  sslProtocolSslv2,
];

/** A rule by its id, in any case. */
export function ruleById(id: string): Rule | undefined {
  const wanted = id.toLowerCase();
  return ALL_RULES.find((rule) => rule.id === wanted);
}
