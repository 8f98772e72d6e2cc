import { Type } from '../../schema/typebox.ts'

/** A credential, as short as its service makes it. */
export function SecretText(description: string) {
  return Type.String({ minLength: 4, maxLength: 1000, pattern: '^[\\x21-\\x7e]+$', description })
}
