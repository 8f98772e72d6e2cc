import { Type } from '../../schema/typebox.ts'
import type { Doc } from '../route.ts'
import { cursorParam, documentCursor } from './cursor.ts'
import { fieldOf, objectSchema, optional } from './fields.ts'
import { integer } from './params.ts'

export const versionParams = {
  limit: integer({ description: 'Maximum number of versions.', min: 1, max: 100, otherwise: 20 }),
  cursor: cursorParam('The `next` cursor of the previous response.', documentCursor),
}

export const restoreFields = { version: optional(fieldOf(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))) }

export const restoreBody: NonNullable<Doc['body']> = {
  description: 'The version; default: the one before the current one.',
  mediaType: 'application/json',
  schema: objectSchema(restoreFields),
  example: { version: 3 },
}
