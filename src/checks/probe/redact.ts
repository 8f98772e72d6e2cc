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
