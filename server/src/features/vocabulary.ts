export { vocabulary, type VocabularyKind, type VocabularyWord } from '../directives/vocabularies';
