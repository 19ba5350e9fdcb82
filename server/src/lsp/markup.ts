/** Markdown or plain text, as the client shows it. */
import {
  MarkupKind,
  type ClientCapabilities,
  type CompletionItem,
  type Hover,
  type MarkupContent,
  type SignatureHelp,
} from 'vscode-languageserver';
import { plainText } from '../features/plain-text';

/** Whether a client wants plain text. */
export interface Plain {
  readonly hover: boolean;
  readonly completion: boolean;
  readonly signatureHelp: boolean;
}

/** A list is in the order of what the client likes; one that says nothing of a kind shows it as it does hovers. */
export function plainFor({ textDocument }: ClientCapabilities): Plain {
  const hover = isPlain(textDocument?.hover?.contentFormat) ?? false;
  return {
    hover,
    completion: isPlain(textDocument?.completion?.completionItem?.documentationFormat) ?? hover,
    signatureHelp: isPlain(textDocument?.signatureHelp?.signatureInformation?.documentationFormat) ?? hover,
  };
}

export function hoverAs(hover: Hover | null, plain: boolean): Hover | null {
  return hover && plain ? { ...hover, contents: inPlainText(hover.contents as MarkupContent) } : hover;
}

export function completionItemAs(item: CompletionItem, plain: boolean): CompletionItem {
  return plain && item.documentation !== undefined ? { ...item, documentation: inPlainText(item.documentation) } : item;
}

export function signatureHelpAs(help: SignatureHelp | null, plain: boolean): SignatureHelp | null {
  if (!help || !plain) return help;
  const documented = <T extends { documentation?: string | MarkupContent }>(of: T): T =>
    of.documentation === undefined ? of : { ...of, documentation: inPlainText(of.documentation) };
  return {
    ...help,
    signatures: help.signatures.map((signature) => ({
      ...documented(signature),
      parameters: signature.parameters?.map(documented),
    })),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function isPlain(formats: unknown): boolean | undefined {
  const known = Array.isArray(formats)
    ? formats.filter((format) => format === MarkupKind.Markdown || format === MarkupKind.PlainText)
    : [];
  return known.length > 0 ? known[0] === MarkupKind.PlainText : undefined;
}

function inPlainText(text: string | MarkupContent): MarkupContent {
  return { kind: MarkupKind.PlainText, value: plainText(typeof text === 'string' ? text : text.value) };
}
