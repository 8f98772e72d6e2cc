import type { DefinitionFault } from '../../checks/wire-reader.ts'
import { ApiError, apiError } from '../../errors.ts'
import { shortened } from '../../text/shortened.ts'
import { ResourceFaults } from './sent-resource.ts'

/** A resource by name, with its index in the request, or null if the request does not contain it. */
export type FaultyResource = { readonly index: number | null; readonly name: string }

export type ProjectFaults = ReturnType<typeof createProjectFaults>

const maxFaults = 100
const shownFaults = 10
const maxLineLength = 400

export function createProjectFaults() {
  const found: DefinitionFault[] = []
  let count = 0

  function add({ index, name }: FaultyResource, faults: readonly DefinitionFault[]): void {
    count += faults.length
    for (const { pointer, message } of faults.slice(0, maxFaults - found.length)) {
      const place = [name && shortened(name, 200), pointer].filter((part) => part !== '').join(' at ')
      const line = shortened(place === '' ? message : `${place}: ${message}`, maxLineLength)
      found.push({ pointer: index === null ? '' : `/resources/${index}${pointer && `/payload${pointer}`}`, message: line })
    }
  }

  return {
    add,
    async collect(resource: FaultyResource, plan: () => Promise<void>): Promise<void> {
      try {
        await plan()
      } catch (problem) {
        if (!(problem instanceof ResourceFaults)) throw problem
        add(resource, problem.faults)
      }
    },
    /** Clients show only the message, so it names resources and pointers. */
    throwAny(): void {
      if (found.length === 0) return
      const lines = found.slice(0, shownFaults).map(({ message }) => `- ${message}`)
      const more = count > lines.length ? [`- and ${count - lines.length} more`] : []
      throw new ApiError('INVALID_PROJECT', [apiError('INVALID_PROJECT').message, ...lines, ...more].join('\n'), {}, found)
    },
  }
}
