import type { Schema } from '../route.ts'

export const anyString: Schema = { type: 'string' }
export const stringOrNull: Schema = { type: ['string', 'null'] }
export const strings: Schema = { type: 'array', items: anyString }
export const yesNo: Schema = { type: 'boolean' }
export const whole: Schema = { type: 'integer' }
export const decimal: Schema = { type: 'number' }
export const decimalOrNull: Schema = { type: ['number', 'null'] }
export const time: Schema = { type: 'string', format: 'date-time' }
export const timeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' }

/** An object that requires all these properties. */
export function objectOf(properties: Readonly<Record<string, Schema>>, rest?: Schema): Schema {
  return { type: 'object', properties, required: Object.keys(properties), ...(rest && { additionalProperties: rest }) }
}

/** An object that requires all but the first properties. */
export function withOptional(optional: Readonly<Record<string, Schema>>, required: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

export const nullable = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] })

/** For lists with cursors; `next` is null at the end. */
export const paginationSchema = objectOf({ limit: whole, next: stringOrNull })

export const errorSchema = objectOf({ statusCode: whole, error: anyString, message: anyString, code: anyString })
