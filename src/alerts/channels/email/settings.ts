import { Hostname, Port } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'

const address = '[^\\s<>@,;:"]+@[^\\s<>@,;:"]+'
const Mailbox = Type.String({
  pattern: `^(${address}|[^<>@\\x00-\\x1f\\x7f]{1,100} <${address}>)$`,
  maxLength: 320,
  description: 'an address such as ops@example.com, or Tidemark <tidemark@example.com>',
})

export const EmailSettings = Type.Object({
  host: Hostname,
  port: Type.Optional(Port),
  security: Type.Optional(Type.Enum(['starttls', 'tls', 'none'])),
  username: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
  from: Mailbox,
  to: Type.Array(Mailbox, { minItems: 1, maxItems: 50, uniqueItems: true }),
})
