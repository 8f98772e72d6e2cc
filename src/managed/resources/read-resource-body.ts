import { depthFaults } from '../../catalogue/wire/depth.ts'
import { type DefinitionFault, type WireReader, wireReader } from '../../checks/wire-reader.ts'
import { isMapping } from '../../collections/mapping.ts'
import { invalidDefinition } from '../writing.ts'

/** The definition in a body; throws with all of its faults. */
export function readResourceBody<T>(body: unknown, read: (reader: WireReader) => T): T {
  if (!isMapping(body)) throw invalidDefinition([{ pointer: '', message: 'the body must be an object' }])
  const tooDeep = depthFaults(body)
  if (tooDeep.length > 0) throw invalidDefinition(tooDeep)
  const faults: DefinitionFault[] = []
  const reader = wireReader(body, { faults })
  const definition = read(reader)
  reader.end()
  if (faults.length > 0) throw invalidDefinition(faults)
  return definition
}
