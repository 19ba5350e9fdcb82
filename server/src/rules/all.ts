/** All rules, in the order of the documentation. */
import { accessCompatDiffers } from './access-compat-differs';
import { accessEnvNeverSet } from './access-env-never-set';
import { accessInPerl } from './access-in-perl';
import { accessMixed } from './access-mixed';
import { accessOperandNeverMatches } from './access-operand-never-matches';
import { accessOpens } from './access-opens';
import { accessOutsideDirectory } from './access-outside-directory';
import { accessTrailingComment } from './access-trailing-comment';
import { aliasOverlap } from './alias-overlap';
import { allowOverrideClass } from './allow-override-class';
import { allowOverrideMissing } from './allow-override-missing';
import { authtypeInProxiedLocation } from './authtype-in-proxied-location';
import { authtypeWithoutRequire } from './authtype-without-require';
import { authzAuthoritative } from './authz-authoritative';
import { byteOrderMark } from './byte-order-mark';
import { cacheEnablePath } from './cache-enable-path';
import { cacheIgnoreSessionIds } from './cache-ignore-session-ids';
import { changedBehaviour } from './changed-behaviour';
import { changedDefaults } from './changed-defaults';
import { conditionOneVersion } from './condition-one-version';
import { defaultType } from './default-type';
import { denyWithoutEffect } from './deny-without-effect';
import { directiveNotAllowedHere } from './directive-not-allowed-here';
import { directiveWithoutArguments } from './directive-without-arguments';
import { directoryMatchDepth } from './directory-match-depth';
import { dumpIoLogLevel } from './dump-io-log-level';
import { elseWithoutIf } from './else-without-if';
import { enabledNotIncluded } from './enabled-not-included';
import { errorDocumentRestricted } from './error-document-restricted';
import { expressionErrorRule } from './expression-error';
import { charsetDebugLevel, extFilterDebugLevel } from './debug-level';
import { filterProvider } from './filter-provider';
import { htaccessComesAlive } from './htaccess-comes-alive';
import { http2Prefork } from './http2-prefork';
import { ifmoduleAboveLoad } from './ifmodule-above-load';
import { lastLineLost } from './last-line-lost';
import { ifmoduleRenamed } from './ifmodule-renamed';
import { ifmoduleVersionTest } from './ifmodule-version-test';
import { ignoreComment } from './ignore-comment';
import { includeNoMatch } from './include-no-match';
import { includeTooMany } from './include-too-many';
import { includeWildcard } from './include-wildcard';
import { invalidValue } from './invalid-value';
import { invisibleCharacter } from './invisible-character';
import { keepAliveValue } from './keep-alive-value';
import { ldapTrustedClientCert } from './ldap-trusted-client-cert';
import { limitOutsideDirectory } from './limit-outside-directory';
import { lineEndsWithEscapedBackslash } from './line-ends-with-escaped-backslash';
import { locationOpens } from './location-opens';
import { lineTooLong } from './line-too-long';
import { listenMissing } from './listen-missing';
import { listenOverlap } from './listen-overlap';
import { listenTwice } from './listen-twice';
import { loadModuleFile } from './load-module-file';
import { loadModuleTwice } from './load-module-twice';
import { loginProviderInherited } from './login-provider-inherited';
import { loginRefused } from './login-refused';
import { macroUse } from './macro-use';
import { memCache } from './mem-cache';
import { missingModule } from './missing-module';
import { moduleOrder } from './module-order';
import { mpmLimits } from './mpm-limits';
import { multiviewsMatchInLimit } from './multiviews-match-in-limit';
import { mutexDirective } from './mutex-directive';
import {
  authDigestNonceFormat,
  authnAliasModule,
  cookieLog,
  diskCacheModule,
  maxClients,
  maxRequestsPerChild,
  maxRequestsPerThread,
  nameVirtualHost,
  suexecUserGroup,
  win32DisableAcceptEx,
} from './one-line';
import { notIn22 } from './not-in-22';
import { optionsMixed } from './options-mixed';
import { orderAllowDeny } from './order-allow-deny';
import { packagePath } from './package-path';
import { pathMissing } from './path-missing';
import { patternDifference } from './pattern-difference';
import { phpHandler } from './php-handler';
import { pipedLog } from './piped-log';
import { proxyPassInDirectory } from './proxy-pass-in-directory';
import { proxyPassOrder } from './proxy-pass-order';
import { removedDirective } from './removed-directive';
import { removedModule } from './removed-module';
import { requireAllArgument } from './require-all-argument';
import { requireGrantedBesideAuth } from './require-granted-beside-auth';
import { phpDirective } from './php-directive';
import { moduleDirectiveRemoved } from './module-directive-removed';
import { requireGroupDbm } from './require-group-dbm';
import { clientAddress } from './client-address';
import { clientAddressAlone } from './client-address-alone';
import { requireGroupAbove } from './require-group-above';
import { requireGroupModule } from './require-group-module';
import { requireIncluded } from './require-included';
import { requireIpOperand } from './require-ip-operand';
import { requireMixedModules } from './require-mixed-modules';
import { requireNotAlone } from './require-not-alone';
import { requireProviderCase } from './require-provider-case';
import { requireQuotedProvider } from './require-quoted-provider';
import { requireUnknownProvider } from './require-unknown-provider';
import { rewriteErrorRule } from './rewrite-error';
import { rewriteLog } from './rewrite-log';
import { rewriteAlias } from './rewrite-alias';
import { rewriteTarget } from './rewrite-target';
import { satisfyAnyAbove } from './satisfy-any-above';
import { satisfyAnyInherited } from './satisfy-any-inherited';
import { scgiPathInfo } from './scgi-path-info';
import { sectionUnpaired } from './section-unpaired';
import { serverNameMissing } from './server-name-missing';
import { ssiAccessEnable } from './ssi-access-enable';
import { ssiExpression } from './ssi-expression';
import { sslCertificateMissing } from './ssl-certificate-missing';
import { sslCrlCheck } from './ssl-crl-check';
import { sslDnFormat } from './ssl-dn-format';
import { sslProtocolSslv2 } from './ssl-protocol-sslv2';
import { sslProxyCheck } from './ssl-proxy-check';
import { sslSessionCacheType } from './ssl-session-cache-type';
import { sslStaplingCacheMissing } from './ssl-stapling-cache-missing';
import { sysconfigModules } from './sysconfig-modules';
import { textIsExpression } from './text-is-expression';
import { thirdPartyModule } from './third-party-module';
import { unknownDirective } from './unknown-directive';
import { valueRefused } from './value-refused';
import { virtualHostComesAlive } from './virtual-host-comes-alive';
import { virtualHostShadowed } from './virtual-host-shadowed';
import { virtualHostWithoutListen } from './virtual-host-without-listen';
import { windowsServerRoot } from './windows-server-root';
import { wrongArguments } from './wrong-arguments';
import type { Rule } from './rule';

export const ALL_RULES: readonly Rule[] = [
  orderAllowDeny,
  accessCompatDiffers,
  accessMixed,
  accessInPerl,
  satisfyAnyInherited,
  satisfyAnyAbove,
  accessTrailingComment,
  accessOperandNeverMatches,
  denyWithoutEffect,
  locationOpens,
  accessOpens,
  accessOutsideDirectory,
  accessEnvNeverSet,
  allowOverrideClass,
  allowOverrideMissing,
  htaccessComesAlive,
  authzAuthoritative,
  requireProviderCase,
  requireQuotedProvider,
  requireUnknownProvider,
  requireAllArgument,
  requireNotAlone,
  requireIncluded,
  requireIpOperand,
  requireGrantedBesideAuth,
  requireMixedModules,
  requireGroupDbm,
  requireGroupModule,
  requireGroupAbove,
  clientAddress,
  clientAddressAlone,
  moduleDirectiveRemoved,
  phpDirective,
  phpHandler,
  authtypeWithoutRequire,
  authtypeInProxiedLocation,
  rewriteLog,
  mutexDirective,
  dumpIoLogLevel,
  extFilterDebugLevel,
  charsetDebugLevel,
  memCache,
  cookieLog,
  ssiAccessEnable,
  win32DisableAcceptEx,
  maxRequestsPerThread,
  authDigestNonceFormat,
  removedDirective,
  removedModule,
  authnAliasModule,
  diskCacheModule,
  ifmoduleAboveLoad,
  lastLineLost,
  ifmoduleRenamed,
  ifmoduleVersionTest,
  conditionOneVersion,
  thirdPartyModule,
  missingModule,
  moduleOrder,
  defaultType,
  nameVirtualHost,
  maxClients,
  maxRequestsPerChild,
  keepAliveValue,
  sslProtocolSslv2,
  optionsMixed,
  filterProvider,
  cacheEnablePath,
  cacheIgnoreSessionIds,
  ldapTrustedClientCert,
  ssiExpression,
  sslCrlCheck,
  sslDnFormat,
  scgiPathInfo,
  pipedLog,
  includeWildcard,
  enabledNotIncluded,
  includeNoMatch,
  includeTooMany,
  lineEndsWithEscapedBackslash,
  byteOrderMark,
  invisibleCharacter,
  directiveWithoutArguments,
  sslProxyCheck,
  sslSessionCacheType,
  lineTooLong,
  limitOutsideDirectory,
  multiviewsMatchInLimit,
  proxyPassInDirectory,
  directoryMatchDepth,
  suexecUserGroup,
  valueRefused,
  textIsExpression,
  loginRefused,
  loginProviderInherited,
  patternDifference,
  proxyPassOrder,
  errorDocumentRestricted,
  changedDefaults,
  changedBehaviour,
  expressionErrorRule,
  rewriteErrorRule,
  rewriteTarget,
  rewriteAlias,
  sectionUnpaired,
  listenTwice,
  listenMissing,
  listenOverlap,
  serverNameMissing,
  virtualHostWithoutListen,
  virtualHostShadowed,
  virtualHostComesAlive,
  packagePath,
  sysconfigModules,
  windowsServerRoot,
  pathMissing,
  sslCertificateMissing,
  sslStaplingCacheMissing,
  mpmLimits,
  http2Prefork,
  aliasOverlap,
  loadModuleTwice,
  loadModuleFile,
  elseWithoutIf,
  unknownDirective,
  directiveNotAllowedHere,
  wrongArguments,
  invalidValue,
  macroUse,
  notIn22,
  ignoreComment,
];

/** Finds a rule by its id, in upper or lower case. Undefined if there is no such rule. */
export function ruleById(id: string): Rule | undefined {
  const lowerCaseId = id.toLowerCase();
  return ALL_RULES.find((rule) => rule.id === lowerCaseId);
}
