import { expect, test } from 'vitest'
import { deepRedactor, encodings, headerSecrets, isSecretHeader, redactedStart, redactor, withoutIssuedSecrets } from './redact.ts'

test('a secret is hidden whole and in its parts', () => {
  const secrets = headerSecrets({ Authorization: 'Bearer abc.def', Cookie: 'sid=12345; lang=de', Accept: 'application/json' })
  expect(redactor(secrets)('got Bearer abc.def and abc.def, 12345, application/json')).toBe('got ••• and •••, •••, application/json')
})

test('the longer of two secrets is hidden first', () => {
  expect(redactor(['password', 'passwordpassword'])('passwordpassword')).toBe('•••')
})

test('one that is too long for a pattern is hidden as well', () => {
  const long = Array.from({ length: 5000 }, (_, index) => `token-${index}`).join()
  expect(redactor([long, 'hunter2-hunter2'])(`a ${long} b HUNTER2-hunter2 c`)).toBe('a ••• b ••• c')
})

test('what is too short to be a secret is left alone', () => {
  expect(redactor(['yes', ''])('a yes is a yes')).toBe('a yes is a yes')
})

test.each([1, 2, 3])('a secret that was percent-encoded %i times is hidden with its word', (times) => {
  const secret = 'Tell/No "one" 4711&é'
  const encoded = Array.from({ length: times }).reduce<string>(
    (text) => encodeURIComponent(text),
    `/found?q=${secret}&again=${secret.replaceAll(' ', '+')}`,
  )
  expect(deepRedactor([secret])(`see ${encoded} and 100%25 here`)).toBe('see ••• and 100%25 here')
  const start = redactedStart(`see ${encoded}`, { complete: false, maxLength: 25 }, [secret])
  expect(start).toBe('see ')
})

test('the beginning of a text holds no part of a secret, wherever it is cut', () => {
  const secrets = ['correct-horse', 'battery']
  const text = 'x correct-horse y battery z correct-horse battery correct-horse'
  for (let received = 0; received <= text.length; received++) {
    for (const maxLength of [5, 20, 200]) {
      const start = redactedStart(text.slice(0, received), { complete: received === text.length, maxLength }, secrets)
      expect(start.replaceAll('•••', '')).not.toMatch(/cor|bat/)
      expect(start.length).toBeLessThanOrEqual(maxLength)
    }
  }
  expect(redactedStart(text, { complete: true, maxLength: 200 }, secrets)).toBe('x ••• y ••• z ••• ••• •••')
})

test.each([
  ['{"access_token": "eyJhbGciOi", "expires": 60}', '{"access_token": "•••", "expires": 60}'],
  ['{"user":{"password":"a\\"b"},"id":1}', '{"user":{"password":"•••"},"id":1}'],
  ['{"sessionId":"cut her', '{"sessionId":"•••"'],
  ['{"name":"Tom"}', '{"name":"Tom"}'],
  ['see /a?token=abc&page=2 or <a href="/b?page=1">', 'see /a?token=•••&page=2 or <a href="/b?page=1">'],
])('credentials that a target issues are hidden by their names: %s', (text, hidden) => {
  expect(withoutIssuedSecrets(text)).toBe(hidden)
})

test('response headers with credentials are known by their names', () => {
  const names = ['Set-Cookie', 'authorization', 'x-api-key', 'x-amz-security-token', 'www-authenticate', 'content-type', 'server']
  expect(names.filter(isSecretHeader)).toEqual(['Set-Cookie', 'authorization', 'x-api-key', 'x-amz-security-token'])
})

test.each(['correct-Horse/Battery 4711', 'Straße-nach-München', '(a+)+$[^b]|c\\d{4}', 'İstanbul-gizli', 'ΟΔΟΣ-μυστικό'])(
  'the secret %j is hidden whatever its case',
  (secret) => {
    const redact = redactor([secret])
    const swapped = [...secret].map((letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase())).join('')
    for (const echoed of [secret, secret.toUpperCase(), secret.toLowerCase()]) expect(redact(`x ${echoed} y`)).toBe('x ••• y')
    if (swapped.length === secret.length) expect(redact(`x ${swapped} y`)).toBe('x ••• y')
    expect('see '.startsWith(redactedStart(`see ${secret.toUpperCase()}`, { complete: false, maxLength: 20 }, [secret]))).toBe(true)
  },
)

test('a short secret, which may be a word, is hidden in its own case alone', () => {
  expect(redactor(['Second'])('Second, /second, SECOND')).toBe('•••, /second, SECOND')
})

test('a secret in other case that was encoded is hidden', () => {
  const secret = 'Tell/No one&4711'
  for (const encoded of encodings(secret)) {
    expect(redactor(encodings(secret))(`got ${encoded.toUpperCase()} and ${encoded.toLowerCase()}`)).toBe('got ••• and •••')
  }
})
