/** The httpd version that a configuration must run on. */
export interface Target {
  readonly major: number;
  readonly minor: number;
  /**
   * The patch release, such as 57 in 2.4.57. Infinity for the newest release of this minor version.
   */
  readonly patch: number;
  /**
   * The patch release of 2.4 that the server runs now; undefined for 2.2, or if the release is
   * unknown.
   */
  readonly runningPatch?: number;
  /** Whether the server runs a 2.4 of an unknown release now. */
  readonly runsUnknown24?: boolean;
}

export const DEFAULT_TARGET: Target = { major: 2, minor: 4, patch: Infinity };

/** Parses `2.4` or `2.4.N`. null for anything else. */
export function parseTarget(text: string): Target | null {
  const versionMatch = /^\s*(2)\.(4)(?:\.(\d{1,3}))?\s*$/.exec(text);
  if (!versionMatch) return null;
  return {
    major: Number(versionMatch[1]),
    minor: Number(versionMatch[2]),
    patch: versionMatch[3] === undefined ? Infinity : Number(versionMatch[3]),
  };
}

/**
 * Whether a change is new for the server: the target has it and the release that runs now does not.
 * `since`: the patch release with the change; 0 for a change between 2.2 and 2.4.0.
 */
export function isNewForServer(since: number, { patch, runningPatch, runsUnknown24 = false }: Target): boolean {
  return since <= patch && since > (runningPatch ?? (runsUnknown24 ? 0 : -1));
}

/** The version as text: `2.4`, or `2.4.N` if the target is one release. */
export function targetName(target: Target): string {
  return Number.isFinite(target.patch)
    ? `${target.major}.${target.minor}.${target.patch}`
    : `${target.major}.${target.minor}`;
}
