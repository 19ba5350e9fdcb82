/** The httpd version that a configuration must run on. */
export interface Target {
  readonly major: number;
  readonly minor: number;
  /** Infinity for "the newest of this minor version". */
  readonly patch: number;
}

export const DEFAULT_TARGET: Target = { major: 2, minor: 4, patch: Infinity };

/** Reads `2.4` or `2.4.N`. Returns null for anything else. */
export function parseTarget(text: string): Target | null {
  const match = /^\s*(2)\.(4)(?:\.(\d{1,3}))?\s*$/.exec(text);
  if (!match) return null;
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: match[3] === undefined ? Infinity : Number(match[3]),
  };
}

export function targetName(target: Target): string {
  return Number.isFinite(target.patch)
    ? `${target.major}.${target.minor}.${target.patch}`
    : `${target.major}.${target.minor}`;
}
