import { headerSecrets } from '../../../checks/probe/redact.ts'
import { strict, Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { defineHttpChannel } from '../define.ts'
import { addressOf, urlSecrets } from '../http.ts'
import { webhookBody } from './body.ts'
import { isSigningSecret, signatureHeaders } from './sign.ts'
import { contentTypeOf, maxTemplateLength, templatedBody, templateFault } from './template.ts'

const SigningSecret = Type.Refine(
  Type.String({
    pattern: '^whsec_',
    description: 'whsec_ and the base64 of 24 to 64 bytes, such as the output of: openssl rand -base64 32',
  }),
  isSigningSecret,
)
const HeaderValue = Type.String({
  pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
  maxLength: 8000,
  description: 'the value of an HTTP header, on one line',
})
const Headers = Type.Record(Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$" }), HeaderValue, {
  ...strict,
  description: 'headers by name, such as Authorization: Bearer …',
})
const Template = Type.Refine(
  Type.String({ maxLength: maxTemplateLength, description: 'a Handlebars template of at most 20,000 characters' }),
  (text) => templateFault(text) === null,
  (text) => templateFault(text) ?? '',
)

export const webhook = defineHttpChannel({
  type: 'webhook',
  label: 'Webhook',
  settings: Type.Object({
    url: Url,
    method: Type.Optional(Type.Enum(['POST', 'PUT'])),
    headers: Type.Optional(Headers),
    secrets: Type.Optional(Type.Array(SigningSecret, { minItems: 1, maxItems: 2 })),
    template: Type.Optional(Template),
  }),
  secrets: ({ url, headers = {}, secrets = [] }) => [...urlSecrets(url), ...headerSecrets(headers), ...secrets],
  address: ({ url }) => addressOf(url),
  limits: { perMinute: 300, concurrent: 4 },
  requests(message, { url, method = 'POST', headers = {}, secrets = [], template }, now) {
    const contentType = contentTypeOf(headers)
    const body = template === undefined ? webhookBody(message) : templatedBody(template, message, contentType)
    const signature = signatureHeaders({ id: message.id, body, secrets, now })
    return [{ method, url, headers: { 'Content-Type': contentType, ...headers, ...signature }, body }]
  },
})
