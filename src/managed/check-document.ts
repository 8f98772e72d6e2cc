import type { WrittenDefinition } from '../catalogue/written-definition.ts'

/** What is kept of a managed check. */
export type CheckDocument = {
  /** As an entry of `checks:` in the config file, with its id. */
  readonly definition: WrittenDefinition
  readonly createdAt: number
}

export const checkKind = 'check'

export const documentText = (document: CheckDocument) => JSON.stringify(document)

export function readDocument(body: string): CheckDocument {
  return JSON.parse(body)
}
