import type { CheckDefinition } from '../catalogue/definitions.ts'
import { codeFaults } from '../catalogue/managed/code-faults.ts'
import { type ParsedCheck, parseManagedCheck } from '../catalogue/managed/parse-managed.ts'
import { destinationOf } from '../catalogue/wire/merge.ts'
import { hidesTexts } from '../catalogue/written-definition.ts'
import { sha256 } from '../ids/sha256.ts'
import type { ManagedDocument } from './managed-document.ts'

type Definition = CheckDefinition['written']
type ParseContext = Parameters<typeof parseManagedCheck>[1]
type JudgeContext = ParseContext & { readonly service: Parameters<typeof codeFaults>[1] }

type StoredDefinition = Pick<ManagedDocument, 'definition' | 'destination'>

export const movedText =
  'it has values that answers hide, which stay with the address that they were written for, and a variable or its group says another one: send them again, or change that back'

/** Validates a stored definition by the current rules. */
export function judgeStored(id: string, document: StoredDefinition, context: JudgeContext): ParsedCheck {
  return guarded(() => {
    const judged = allowed(id, parseManagedCheck(document.definition, context), context)
    return 'check' in judged && isMoved(document, judged.check) ? { faults: [{ pointer: '', message: movedText }] } : judged
  })
}

/** Whether the group or variables of a check have changed its address since its hidden values were written. */
export function isMoved({ destination }: StoredDefinition, check: CheckDefinition): boolean {
  return destination !== undefined && destination !== destinationHash(check)
}

export function destinationToKeep(check: CheckDefinition): Pick<ManagedDocument, 'destination'> {
  return hidesTexts(check) ? { destination: destinationHash(check) } : {}
}

/** A hash, since a secret variable may be part of the address. Changing the hash would make stored checks faulty. */
const destinationHash = ({ account, id, settings }: CheckDefinition) => sha256(JSON.stringify([account, id, destinationOf(settings)]))

/** Validates a definition before it is stored. */
export function judgeNew(id: string, definition: Definition, context: JudgeContext): ParsedCheck {
  return allowed(id, parseManagedCheck(definition, context), context)
}

/** Parses a stored definition, whether or not it is still allowed. */
export function parseStored(definition: Definition, context: ParseContext): ParsedCheck {
  return guarded(() => parseManagedCheck(definition, context))
}

/** Any problem of a stored definition is a fault: other checks still run, and it can be replaced. */
function guarded(parse: () => ParsedCheck): ParsedCheck {
  try {
    return parse()
  } catch (error) {
    // Its message may contain parts of secrets.
    const name = error instanceof Error ? error.name : 'unknown'
    const message = `this server cannot parse it because of an internal error (${name}): write it again, or delete it`
    return { faults: [{ pointer: '', message }] }
  }
}

function allowed(id: string, parsed: ParsedCheck, { service }: JudgeContext): ParsedCheck {
  if ('faults' in parsed) return parsed
  if (parsed.check.id !== id) return { faults: [{ pointer: '/id', message: `the id must be ${id}` }] }
  const faults = codeFaults(parsed.check, service)
  return faults.length > 0 ? { faults } : parsed
}
