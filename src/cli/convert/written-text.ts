import { isSecretName } from '../../checks/probe/redact.ts'
import { withoutVariables } from '../../text/variable-references.ts'

/** Placeholders that `forEach` would replace in a check. */
const eachReference = /\$?\$\{each\.[A-Za-z_][A-Za-z0-9_]*\}/g

/** Escapes a text so that the config file does not interpolate it. */
export function literalText(text: string): string {
  return withoutVariables(text).replace(eachReference, (whole) => `$${whole}`)
}

/** Replaces characters that YAML cannot represent: control characters except tabs and line breaks, and unpaired surrogates. */
export function printable(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '')
}

/** Replaces the password and secret parameters of an address with the results of `hide`. */
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

/** Whether a request text seems to contain credentials. */
export const mayHoldSecrets = (text: string) => secretWords.test(text)

/** A line of an env file that both a shell and systemd parse correctly. */
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

/** A tag that the config file accepts; empty if no characters are left. */
export function cleanTag(text: string): string {
  return printable(text)
    .replace(/[,\s]+/g, ' ')
    .trim()
    .slice(0, 128)
    .trim()
}
