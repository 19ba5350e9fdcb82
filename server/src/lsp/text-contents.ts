/**
 * `workspace/textDocumentContent` of LSP 3.18: texts that a client shows without a file.
 *
 *     httpd-upgrade:/rules/ID.md   the page of a rule
 *     httpd-upgrade:/report.md     the report of the upgrade
 *     httpd-upgrade:/fixed?URI     the preview of an open file after its safe fixes
 */
import { ErrorCodes, ResponseError, type CancellationToken } from 'vscode-languageserver';
import { ruleById } from '../rules/all';
import { rulePage } from '../rules/support/page';
import { textWithSafeFixes } from './code-actions';
import type { Plans } from './plans';
import type { Session } from './session';

/** The schemes of the URIs of these texts. */
export const CONTENT_SCHEMES = ['httpd-upgrade'];

export function serveTextContents(session: Session, plans: Pick<Plans, 'report'>): void {
  session.connection.onRequest(
    'workspace/textDocumentContent',
    async ({ uri }: { uri: string }, token: CancellationToken) => {
      const contentText = await textAt(session, plans, uri, token);
      if (contentText === null) throw new ResponseError(ErrorCodes.InvalidParams, `no text of httpd-upgrade: ${uri}`);
      return { text: contentText };
    },
  );
}

/** The text for a URI in one of the forms that this file's header lists; null for another URI. */
async function textAt(
  session: Session,
  plans: Pick<Plans, 'report'>,
  uri: string,
  token: CancellationToken,
): Promise<string | null> {
  const [, path, query = ''] = /^httpd-upgrade:(\/[^?#]*)(?:\?([^#]*))?/.exec(uri) ?? [];
  if (path === '/fixed') {
    const fixedUri = withoutEscapes(query);
    return fixedUri === null ? null : textWithSafeFixes(session, fixedUri, token);
  }
  if (path === '/report.md') {
    const report = await plans.report({ format: 'markdown' }, token);
    return 'text' in report ? report.text : `${report.nothing}\n`;
  }
  const ruleId = /^\/rules\/([\w-]+)\.md$/.exec(path ?? '')?.[1];
  const rule = ruleId === undefined ? undefined : ruleById(ruleId);
  return rule ? rulePage(rule) : null;
}

/** The text without percent escapes; null if an escape is not valid. */
function withoutEscapes(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
