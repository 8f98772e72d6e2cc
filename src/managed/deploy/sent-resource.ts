import type { DefinitionFault } from '../../checks/wire-reader.ts'
import { StacklessError } from '../../text/stackless-error.ts'

/** A resource as a project sends it. */
export type SentResource = {
  readonly type: string
  readonly logicalId: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** What is wrong with a resource, by places in its payload. */
export class ResourceFaults extends StacklessError {
  override readonly name = 'ResourceFaults'
  readonly faults: readonly DefinitionFault[]
  constructor(faults: readonly DefinitionFault[]) {
    super('A resource has faults.')
    this.faults = faults
  }
}
