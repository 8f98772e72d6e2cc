import { isSecretName } from '../../checks/probe/redact.ts'
import { withoutVariables } from '../../text/variable-references.ts'

/** Placeholders that `forEach` would replace in a check. */
const eachReference = /\$?\$\{each\.[A-Za-z_][A-Za-z0-9_]*\}/g

/** A text as the config file must have it, so that it means itself. */
export function literalText(text: string): string {
  return withoutVariables(text).replace(eachReference, (whole) => `$${whole}`)
}

/** Without characters that YAML cannot hold: control characters other than tabs and line breaks, and halves of surrogate pairs. */
export function printable(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '')
}

/** An address with its password and secret parameters replaced by the results of `hide`. */
export function addressText(url: string, hide: (name: string, value: string) => string): string {
  const [, start = '', user = '', password, rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@:]*)(?::([^/?#@]*))?@(.*)$/is.exec(url) ?? []
  const whole = password === undefined ? literalParts(url, hide) : null
  if (whole !== null) return whole
  return `${literalText(`${start}${user}`)}:${password === '' ? '' : hide('password', password ?? '')}@${literalParts(rest, hide)}`
}

function literalParts(text: string, hide: (name: string, value: string) => string): string {
  const at = text.indexOf('?')
  if (at === -1) return literalText(text)
  const [query, ...fragment] = text.slice(at + 1).split('#')
  const parameters = (query ?? '').split('&').map((parameter) => {
    const equals = parameter.indexOf('=')
    const [name, value] = equals === -1 ? [parameter, ''] : [parameter.slice(0, equals), parameter.slice(equals + 1)]
    return value !== '' && isSecretName(name) ? `${literalText(name)}=${hide(name, value)}` : literalText(parameter)
  })
  return [`${literalText(text.slice(0, at))}?${parameters.join('&')}`, ...fragment.map(literalText)].join('#')
}

const secretWords = /passw|secret|token|api[_-]?key|credential/i

/** Whether a text that is sent seems to hold credentials. */
export const mayHoldSecrets = (text: string) => secretWords.test(text)

/** A line of an env file, for a shell and for systemd. */
export function environmentLine(name: string, value: string): string {
  return value.includes("'") ? `${name}="${value.replace(/[\\"$`]/g, '\\$&')}"\n` : `${name}='${value}'\n`
}

const maxSlugLength = 60

/** An id of letters, digits and hyphens. */
export function slugOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlugLength)
    .replace(/^-+|-+$/g, '')
}

/** A tag that the config file accepts; empty where nothing is left. */
export function cleanTag(text: string): string {
  return printable(text)
    .replace(/[,\s]+/g, ' ')
    .trim()
    .slice(0, 128)
    .trim()
}
