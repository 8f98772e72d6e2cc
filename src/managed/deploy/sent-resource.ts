import type { DefinitionFault } from '../../checks/wire-reader.ts'
import { StacklessError } from '../../text/stackless-error.ts'

export type SentResource = {
  readonly type: string
  readonly logicalId: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Faults of a resource, with pointers into its payload. */
export class ResourceFaults extends StacklessError {
  override readonly name = 'ResourceFaults'
  readonly faults: readonly DefinitionFault[]
  constructor(faults: readonly DefinitionFault[]) {
    super('A resource is invalid.')
    this.faults = faults
  }
}
