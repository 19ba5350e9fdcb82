/** Makes texts Markdown or plain text, according to what the client shows. */
import {
  type Diagnostic,
  MarkupKind,
  type ClientCapabilities,
  type CompletionItem,
  type Hover,
  type MarkupContent,
  type SignatureHelp,
} from 'vscode-languageserver';
import { codeSpan, escapeMarkdown } from '../features/markdown-text';
import { plainText } from '../features/plain-text';

/** For which requests the client shows plain text only. */
export interface PlainTextParts {
  readonly hover: boolean;
  readonly completion: boolean;
  readonly signatureHelp: boolean;
}

/**
 * For which requests the client prefers plain text. Its list of formats is ordered by preference.
 * Without a list for completion or signature help, the list for hovers is used.
 */
export function plainTextPartsOf({ textDocument }: ClientCapabilities): PlainTextParts {
  const hover = prefersPlainText(textDocument?.hover?.contentFormat) ?? false;
  return {
    hover,
    completion: prefersPlainText(textDocument?.completion?.completionItem?.documentationFormat) ?? hover,
    signatureHelp: prefersPlainText(textDocument?.signatureHelp?.signatureInformation?.documentationFormat) ?? hover,
  };
}

/** The hover, as plain text if `isPlainText`. Null stays null. */
export function hoverForClient(hover: Hover | null, isPlainText: boolean): Hover | null {
  return hover && isPlainText ? { ...hover, contents: asPlainText(hover.contents as MarkupContent) } : hover;
}

/** The completion item, its documentation as plain text if `isPlainText`. */
export function completionItemForClient(item: CompletionItem, isPlainText: boolean): CompletionItem {
  return isPlainText && item.documentation !== undefined
    ? { ...item, documentation: asPlainText(item.documentation) }
    : item;
}

/** The signature help, its documentation as plain text if `isPlainText`. Null stays null. */
export function signatureHelpForClient(help: SignatureHelp | null, isPlainText: boolean): SignatureHelp | null {
  if (!help || !isPlainText) return help;
  const withPlainText = <T extends { documentation?: string | MarkupContent }>(item: T): T =>
    item.documentation === undefined ? item : { ...item, documentation: asPlainText(item.documentation) };
  return {
    ...help,
    signatures: help.signatures.map((signature) => ({
      ...withPlainText(signature),
      parameters: signature.parameters?.map(withPlainText),
    })),
  };
}

/**
 * The diagnostic with its message in the form that the client shows. Backticks mark code in our
 * messages. A client that shows Markdown in messages (`markupMessageSupport` of LSP 3.18) gets the
 * backticks. Other clients get the text without them.
 */
export function diagnosticForClient(diagnostic: Diagnostic, showsMarkdown: boolean): Diagnostic {
  const { message, relatedInformation } = diagnostic;
  if (typeof message !== 'string') return diagnostic;
  const shownMessage = showsMarkdown ? asMarkdown(message) : message.replaceAll('`', '');
  if (shownMessage === message && !relatedInformation?.some((each) => each.message.includes('`'))) return diagnostic;
  return {
    ...diagnostic,
    message: shownMessage,
    ...(relatedInformation && {
      relatedInformation: relatedInformation.map((each) => ({ ...each, message: each.message.replaceAll('`', '') })),
    }),
  };
}

/** Whether the client shows Markdown in the messages of diagnostics. */
export function canShowMarkdownMessages({ textDocument }: ClientCapabilities): boolean {
  const { diagnostic } = textDocument ?? {};
  return (diagnostic as { markupMessageSupport?: unknown } | undefined)?.markupMessageSupport === true;
}

function asMarkdown(message: string): MarkupContent {
  const markdownLines = message.split('\n').map((row) =>
    row
      .split(/`([^`]+)`/)
      .map((part, index) => (index % 2 === 1 ? codeSpan(part) : escapeMarkdown(part)))
      .join(''),
  );
  // In Markdown, two spaces at the end of a line keep the line break.
  return { kind: MarkupKind.Markdown, value: markdownLines.join('  \n') };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether plain text comes first in a client's list of formats; undefined without a list. */
function prefersPlainText(formats: unknown): boolean | undefined {
  const knownFormats = Array.isArray(formats)
    ? formats.filter((format) => format === MarkupKind.Markdown || format === MarkupKind.PlainText)
    : [];
  return knownFormats.length > 0 ? knownFormats[0] === MarkupKind.PlainText : undefined;
}

function asPlainText(text: string | MarkupContent): MarkupContent {
  return { kind: MarkupKind.PlainText, value: plainText(typeof text === 'string' ? text : text.value) };
}
