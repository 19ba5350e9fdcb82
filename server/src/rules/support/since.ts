import type { Target } from '../../config/target';

/**
 * Patch releases of 2.4 from which on a directive refuses, or reads otherwise, some value that 2.2 took; before, 2.4 did as 2.2. From
 * the file CHANGES of 2.4; test/rules/target.test.ts has the entries.
 */
const SINCE: Readonly<Record<string, number>> = {
  servertokens: 4,
  authuserfile: 5,
  authgroupfile: 5,
  errordocument: 13,
  sethandler: 19,
  sslcompression: 30,
  authname: 55,
  authtype: 55,
  allowoverride: 64,
  sslengine: 64,
  // 2.4.68 takes `none` and 2.4.71 does not (test/httpd/claims-removed.test.ts); those between were not asked.
  authdigestqop: 71,
};

/** Whether nothing is to be said of a directive's values, given its name in lower case: the target is older than what there is to say. */
export function isOlder(name: string, target: Target): boolean {
  return target.patch < (SINCE[name] ?? 0);
}
