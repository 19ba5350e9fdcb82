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
 * Which texts have to be plain. The client's list of formats is ordered by preference; for a
 * request without a list, the one for hovers is used.
 */
export function plainFor({ textDocument }: ClientCapabilities): PlainTextParts {
  const hover = prefersPlainText(textDocument?.hover?.contentFormat) ?? false;
  return {
    hover,
    completion: prefersPlainText(textDocument?.completion?.completionItem?.documentationFormat) ?? hover,
    signatureHelp: prefersPlainText(textDocument?.signatureHelp?.signatureInformation?.documentationFormat) ?? hover,
  };
}

export function hoverAs(hover: Hover | null, isPlainText: boolean): Hover | null {
  return hover && isPlainText ? { ...hover, contents: asPlainText(hover.contents as MarkupContent) } : hover;
}

export function completionItemAs(item: CompletionItem, isPlainText: boolean): CompletionItem {
  return isPlainText && item.documentation !== undefined
    ? { ...item, documentation: asPlainText(item.documentation) }
    : item;
}

export function signatureHelpAs(help: SignatureHelp | null, isPlainText: boolean): SignatureHelp | null {
  if (!help || !isPlainText) return help;
  const documented = <T extends { documentation?: string | MarkupContent }>(item: T): T =>
    item.documentation === undefined ? item : { ...item, documentation: asPlainText(item.documentation) };
  return {
    ...help,
    signatures: help.signatures.map((signature) => ({
      ...documented(signature),
      parameters: signature.parameters?.map(documented),
    })),
  };
}

/**
 * A diagnostic whose message has the form that the client shows. Backticks mark code: they are
 * removed for a client with plain messages, and stay for one that shows Markdown
 * (`markupMessageSupport` of LSP 3.18).
 */
export function diagnosticAs(diagnostic: Diagnostic, takesMarkup: boolean): Diagnostic {
  const { message, relatedInformation } = diagnostic;
  if (typeof message !== 'string') return diagnostic;
  const text = takesMarkup ? asMarkdown(message) : message.replaceAll('`', '');
  if (text === message && !relatedInformation?.some((each) => each.message.includes('`'))) return diagnostic;
  return {
    ...diagnostic,
    message: text,
    ...(relatedInformation && {
      relatedInformation: relatedInformation.map((each) => ({ ...each, message: each.message.replaceAll('`', '') })),
    }),
  };
}

/** Whether the client shows Markdown in the messages of diagnostics. */
export function takesMarkupMessages({ textDocument }: ClientCapabilities): boolean {
  const { diagnostic } = textDocument ?? {};
  return (diagnostic as { markupMessageSupport?: unknown } | undefined)?.markupMessageSupport === true;
}

function asMarkdown(message: string): MarkupContent {
  const rows = message.split('\n').map((row) =>
    row
      .split(/`([^`]+)`/)
      .map((part, index) => (index % 2 === 1 ? codeSpan(part) : escapeMarkdown(part)))
      .join(''),
  );
  // In Markdown, two spaces at the end of a line keep the line break.
  return { kind: MarkupKind.Markdown, value: rows.join('  \n') };
}

// ---------------------------------------------------------------------------------------------------------------------

function prefersPlainText(formats: unknown): boolean | undefined {
  const knownFormats = Array.isArray(formats)
    ? formats.filter((format) => format === MarkupKind.Markdown || format === MarkupKind.PlainText)
    : [];
  return knownFormats.length > 0 ? knownFormats[0] === MarkupKind.PlainText : undefined;
}

function asPlainText(text: string | MarkupContent): MarkupContent {
  return { kind: MarkupKind.PlainText, value: plainText(typeof text === 'string' ? text : text.value) };
}
