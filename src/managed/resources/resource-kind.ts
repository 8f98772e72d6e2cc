import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import type { DocumentUsage } from '../../store/documents/usage.ts'

/** A kind of resources that are managed over the API. Each is declared in a file of its own. */
export type ResourceKind = {
  /** Of its documents. */
  readonly kind: string
  /** As messages name one: `check group`. */
  readonly noun: string
  /** What an account may have. */
  readonly limit: DocumentUsage
  /** Of one definition as JSON, in characters. */
  readonly maxLength: number
  /** What no two resources of an account may have in common, beside their ids. */
  readonly uniqueName?: (definition: WrittenDefinition) => string
  /** A definition without what no answer may show. */
  readonly shown: (definition: WrittenDefinition) => WrittenDefinition
}
