/**
 * Decodes the path of a URL as the server does before it compares it: escapes are decoded, `.` and
 * `..` are resolved, and slashes are merged (ap_process_request_internal in server/request.c;
 * ap_getparents and ap_normalize_path in server/util.c).
 */

/** The decoded path of a URL. */
export interface UrlPath {
  /** The path that is compared with sections and mappings. */
  readonly path: string;
  /**
   * The path that is compared with regular expressions. Repeated slashes stay in 2.2, in 2.4 before
   * 2.4.39, and with `MergeSlashes Off`.
   */
  readonly pathForRegexes: string;
  /** Whether the URL contains bytes that are not UTF-8. */
  readonly isOtherEncoding: boolean;
}

/** The status with which httpd refuses a path before it looks for sections. */
export interface RefusedPath {
  readonly status: 400 | 404;
  readonly why: string;
}

/** How a server reads the path of a URL. */
interface UrlReading {
  readonly version: '2.2' | '2.4';
  /** The value of AllowEncodedSlashes in lower case. */
  readonly encodedSlashes: string;
  /**
   * Whether repeated slashes become one before regular expressions are compared. 2.4.39 and later
   * releases do so without `MergeSlashes Off`.
   */
  readonly mergesSlashes: boolean;
}

/** Decodes a path. Returns the refusal if the server refuses it. */
export function decodeUrlPath(
  givenPath: string,
  { version, encodedSlashes, mergesSlashes }: UrlReading,
): UrlPath | RefusedPath {
  // ap_parse_uri reads several slashes at the beginning as one.
  const pathText = givenPath.replace(/^\/+/, '/');
  if (/%(?![\da-f]{2})/i.test(pathText)) return { status: 400, why: 'the path has a bad escape' };
  if (/%00/.test(pathText)) return { status: version === '2.2' ? 404 : 400, why: 'the path contains `%00`' };
  if (/%2f/i.test(pathText) && encodedSlashes === 'off')
    return { status: 404, why: 'the path contains `%2F` and AllowEncodedSlashes is Off' };
  const areSlashesKept = encodedSlashes === 'nodecode';
  const decodedPath = withoutEscapes(areSlashesKept ? pathText.replace(/%(?=2f)/gi, '%25') : pathText);
  const resolvedPath = withoutDots(decodedPath);
  if (resolvedPath === null && version === '2.4') return { status: 400, why: 'the path leads above `/`' };
  const unmergedPath = resolvedPath ?? withoutDots(decodedPath.replace(/^(?:\/\.\.)+/, '')) ?? '/';
  const mergedPath = unmergedPath.replace(/\/{2,}/g, '/');
  const isOtherEncoding = !isUtf8(pathText);
  return {
    path: mergedPath,
    pathForRegexes: mergesSlashes ? mergedPath : unmergedPath,
    isOtherEncoding,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether the text is UTF-8 after its escapes are decoded. */
function isUtf8(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/**
 * Decodes the escapes. If the result is not UTF-8, each byte becomes the character with its number.
 */
function withoutEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
}

/** Resolves `.` and `..`. Null if `..` leads above the root. */
function withoutDots(path: string): string | null {
  if (!path.includes('/.')) return path;
  const resolvedParts: string[] = [];
  const givenParts = path.slice(1).split('/');
  for (const [index, part] of givenParts.entries()) {
    const isLast = index === givenParts.length - 1;
    if (part === '..') {
      if (resolvedParts.length === 0) return null;
      resolvedParts.pop();
      if (isLast) resolvedParts.push('');
    } else if (part !== '.') resolvedParts.push(part);
    else if (isLast) resolvedParts.push('');
  }
  return `/${resolvedParts.join('/')}`;
}
