/** Words of other standards that arguments take, for completion: see directives/vocabularies.ts. */
export interface VocabularyWord {
  readonly word: string;
  /** What it is, in a sentence. */
  readonly text?: string;
  /** Whose it is. */
  readonly from?: string;
}
export type VocabularyKind =
  | 'environment' | 'handler' | 'mime-type' | 'charset' | 'language' | 'encoding' | 'status' | 'header' | 'method' | 'ssl-variable' | 'rewrite-variable'
  | 'expression-variable' | 'expression-function' | 'expression-operator' | 'log-format' | 'error-log-format' | 'rule-flag' | 'condition-flag';
export function vocabulary(_kind: VocabularyKind): readonly VocabularyWord[] {
  return [];
}
