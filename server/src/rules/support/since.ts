import type { Target } from '../../config/target';

/**
 * The patch release of 2.4 in which a directive began to refuse some value of 2.2, or to read it
 * otherwise. Earlier releases of 2.4 do as 2.2. Source: the file CHANGES of 2.4;
 * test/rules/target.test.ts has the entries.
 */
const RELEASE_OF_CHANGE: Readonly<Record<string, number>> = {
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
  // 2.4.68 accepts `none`, and 2.4.71 does not (test/httpd/claims-removed.slow.test.ts). The
  // releases between these two are not tested.
  authdigestqop: 71,
};

/** Whether the target is older than the change of this directive, which is in lower case. */
export function isBeforeChange(name: string, target: Target): boolean {
  return target.patch < (RELEASE_OF_CHANGE[name] ?? 0);
}
