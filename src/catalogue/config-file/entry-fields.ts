import { idGrammar } from '../../ids/id-grammar.ts'
import { Type } from '../../schema/typebox.ts'

export const closed = { additionalProperties: false } as const

export const Id = Type.String({
  pattern: idGrammar.source,
  description: 'text of 1 to 128 characters from A-Z, a-z, 0-9, _ and -',
})
export const NonEmptyText = Type.String({ minLength: 1, maxLength: 10_000, description: 'text, not empty' })
export const labelPattern = '[^\\s,]([^,\\n\\r]{0,126}[^\\s,])?'
export const Label = Type.String({
  pattern: `^${labelPattern}$`,
  description: 'text of 1 to 128 characters without commas',
})
