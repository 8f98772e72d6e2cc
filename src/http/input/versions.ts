import type { Doc } from '../route.ts'
import { cursorParam, documentCursor } from './cursor.ts'
import { number, objectSchema, optional } from './json-body.ts'
import { integer } from './params.ts'

/** Of lists of versions. */
export const versionParams = {
  limit: integer({ description: 'How many versions.', min: 1, max: 100, otherwise: 20 }),
  cursor: cursorParam('The next of the answer before.', documentCursor),
}

/** The body of a request that restores a version. */
export const restoreFields = { version: optional(number({ min: 1, max: Number.MAX_SAFE_INTEGER, whole: true }), null) }

export const restoreBody: NonNullable<Doc['body']> = {
  description: 'Which version; without one, that before the current one.',
  mediaType: 'application/json',
  schema: objectSchema(restoreFields),
  example: { version: 3 },
}
