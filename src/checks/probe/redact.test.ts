import { expect, test } from 'vitest'
import { headerSecrets, redacted } from './redact.ts'

test('a secret is hidden whole and in its parts', () => {
  const secrets = headerSecrets({ Authorization: 'Bearer abc.def', Cookie: 'sid=12345; lang=de', Accept: 'application/json' })
  expect(redacted('got Bearer abc.def and abc.def, 12345, application/json', secrets)).toBe('got ••• and •••, •••, application/json')
})

test('the longer of two secrets is hidden first', () => {
  expect(redacted('passwordpassword', ['password', 'passwordpassword'])).toBe('•••')
})

test('what is too short to be a secret is left alone', () => {
  expect(redacted('a yes is a yes', ['yes', ''])).toBe('a yes is a yes')
})
