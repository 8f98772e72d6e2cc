import type { WrittenDefinition } from '../catalogue/written-definition.ts'
import { isMapping } from '../collections/mapping.ts'
import { parsedJson } from '../text/parsed-json.ts'

/** The stored form of a managed check or other resource. */
export type ManagedDocument = {
  /** A check, as an entry of `checks:` in the config file, with its id. */
  readonly definition: WrittenDefinition
  readonly createdAt: number
  /** For a check with hidden values: the hash of the address that they may be sent to. */
  readonly destination?: string
}

export const checkKind = 'check'

export const documentText = (document: ManagedDocument) => JSON.stringify(document)

/** An unreadable document has an empty definition, whose faults are reported as usual. */
export function readDocument(body: string): ManagedDocument {
  const value = parsedJson(body)
  return isMapping(value) && isMapping(value.definition) ? (value as ManagedDocument) : { definition: {}, createdAt: 0 }
}
