import { isMapping } from '../catalogue/config-file/structure.ts'
import type { WrittenDefinition } from '../catalogue/written-definition.ts'

/** What is kept of a managed check, and of any other managed resource. */
export type ManagedDocument = {
  /** Of a check, as an entry of `checks:` in the config file, with its id. */
  readonly definition: WrittenDefinition
  readonly createdAt: number
  /** Of a check with values that answers hide: where its runs connect to, as a hash. They stay with it. */
  readonly destination?: string
}

export const checkKind = 'check'

export const documentText = (document: ManagedDocument) => JSON.stringify(document)

/** One that cannot be read has an empty definition, whose faults are found as those of any other. */
export function readDocument(body: string): ManagedDocument {
  const value = parsedJson(body)
  return isMapping(value) && isMapping(value.definition) ? (value as ManagedDocument) : { definition: {}, createdAt: 0 }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
