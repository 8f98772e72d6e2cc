import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import type { DocumentUsage } from '../../store/documents/usage.ts'

/** A kind of resource that is managed over the API; one file each. */
export type ResourceKind = {
  /** The kind of its documents. */
  readonly kind: string
  /** The name in messages, such as `check group`. */
  readonly noun: string
  /** The limit per account. */
  readonly limit: DocumentUsage
  /** Characters of one definition as JSON. */
  readonly maxLength: number
  /** A name that is unique per account, in addition to the id. */
  readonly uniqueName?: (definition: WrittenDefinition) => string
  /** The redacted definition. */
  readonly shown: (definition: WrittenDefinition) => WrittenDefinition
}
