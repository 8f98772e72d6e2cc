import type { TSchema } from './typebox.ts'

/** Adds a title, which says what the value is for; the description says what it must be. */
export function titled<Schema extends TSchema>(title: string, schema: Schema): Schema {
  const own = Object.getOwnPropertyDescriptors(schema)
  return Object.defineProperties({}, { ...own, title: { value: title, enumerable: true, configurable: true, writable: true } }) as Schema
}
