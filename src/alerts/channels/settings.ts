import { Type } from '../../schema/typebox.ts'

/** A credential. The minimum is low, since some services issue short ones. */
export function SecretText(description: string) {
  return Type.String({ minLength: 4, maxLength: 1000, pattern: '^[\\x21-\\x7e]+$', description })
}
