/** Positions as clients of each encoding count them. */
import type { Position } from 'vscode-languageserver-protocol/node';

export type Encoding = 'utf-8' | 'utf-16' | 'utf-32';

/** A UTF-16 position in the client's way of counting. */
export function counted(text: string, { line, character }: Position, encoding: Encoding): Position {
  const before = text.split('\n')[line]!.slice(0, character);
  return {
    line,
    character:
      encoding === 'utf-8' ? Buffer.byteLength(before) : encoding === 'utf-32' ? [...before].length : before.length,
  };
}

/**
 * Every position in an answer put otherwise; `of` gets the URI of the file that it is in, where the
 * answer says one, or else the one that is handed in.
 */
export function placed(value: unknown, uri: string, of: (position: Position, uri: string) => Position): unknown {
  if (Array.isArray(value)) return value.map((item) => placed(item, uri, of));
  if (value === null || typeof value !== 'object') return value;
  if ('character' in value && 'line' in value) return of(value as Position, uri);
  const { uri: own, textDocument } = value as { uri?: string; textDocument?: { uri: string } };
  const within = own ?? textDocument?.uri ?? uri;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'data' || key === 'resultId' ? null : placed(inner, key.startsWith('file:') ? key : within, of),
    ]),
  );
}
