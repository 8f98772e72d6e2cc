import type { TSchema } from './typebox.ts'

/** A schema whose title says what its value is for, and whose description what it must be. */
export function titled<Schema extends TSchema>(title: string, schema: Schema): Schema {
  const own = Object.getOwnPropertyDescriptors(schema)
  return Object.defineProperties({}, { ...own, title: { value: title, enumerable: true, configurable: true, writable: true } }) as Schema
}
