const shortest = 4
const openHeaders = /^(accept.*|cache-control|connection|content-.*|host|origin|pragma|referer|user-agent)$/i

/** The texts in a request's headers that nobody may read; the scheme before a credential is none. */
export function headerSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => !openHeaders.test(name))
    .flatMap(([, value]) => [value, ...value.split(/[\s;,=]+/)])
    .filter((text) => !/^(basic|bearer|digest)$/i.test(text))
}

/** The text with every secret in it made unreadable. */
export function redacted(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= shortest).sort((one, other) => other.length - one.length)
  return known.reduce((clean, secret) => clean.replaceAll(secret, '•••'), text)
}

/** A text as it is, and the ways in which it is written in addresses, JSON and headers. */
export function spellings(text: string): readonly string[] {
  return [
    text,
    encodeURIComponent(text),
    new URLSearchParams({ '': text }).toString().slice(1),
    JSON.stringify(text).slice(1, -1),
    Buffer.from(text).toString('base64'),
  ]
}

/** Whether a parameter of this name carries what nobody may read. */
export function isSecretName(name: string): boolean {
  return /key$|^sig$|auth|credential|passw|pwd|secret|session|signature|token/i.test(name)
}
