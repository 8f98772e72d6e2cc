import { expect, test } from 'vitest'
import { abortable, failureMessage, ProbeFault } from './failures.ts'
import { AddressDenied } from './net/addresses.ts'

const running = { signal: new AbortController().signal, timeoutMs: 1500, secrets: ['hidden-text'] }
const coded = (code: unknown, more = {}) => Object.assign(new Error('it broke'), { code }, more)

test.each([
  [new ProbeFault('said as it is'), 'said as it is'],
  [coded('ECONNREFUSED'), 'connection refused at connect'],
  [coded('ECONNRESET'), 'connection reset by the other side at connect'],
  [coded('ECONNABORTED'), 'connection closed by the other side at connect'],
  [coded('EPIPE'), 'connection closed by the other side at connect'],
  [coded('EHOSTUNREACH'), 'host unreachable at connect'],
  [coded('ENETUNREACH'), 'network unreachable at connect'],
  [coded('EACCES'), 'not permitted by the system at connect'],
  [coded('EPERM'), 'not permitted by the system at connect'],
  [coded('ETIMEDOUT'), 'no answer at connect'],
  [coded('HPE_HEADER_OVERFLOW'), 'the response headers are too long at connect'],
  [coded('HPE_INVALID_EOF_STATE'), 'the response ended too early at connect'],
  [coded('HPE_INVALID_CONSTANT'), 'the response is not valid HTTP (HPE_INVALID_CONSTANT)'],
  [coded('ERR_INVALID_CHAR'), 'a request header has an invalid character'],
  [coded('ERR_INVALID_HTTP_TOKEN'), 'a request header has an invalid name'],
  [coded('ERR_SSL_WRONG_VERSION', { reason: 'wrong version' }), 'no TLS connection (wrong version) at connect'],
  [coded('EPROTO', { reason: 7 }), 'no TLS connection (EPROTO) at connect'],
  [coded('CERT_HAS_EXPIRED'), 'CERT_HAS_EXPIRED at connect'],
  [coded(7), 'it broke at connect'],
  [new Error('at hidden-text\nstack'), 'at ••• at connect'],
  [new Error('x'.repeat(201)), `${'x'.repeat(200)} at connect`],
  ['a text', 'a text at connect'],
  [null, 'null at connect'],
])('the message of %s', (error, message) => {
  expect(failureMessage(error, 'connect', running)).toBe(message)
})

test('an aborted run has a timeout as its failure, unless there is a known reason', () => {
  const cancelled = { ...running, signal: AbortSignal.abort() }
  expect(failureMessage(coded('ECONNRESET'), 'first byte', cancelled)).toBe('no answer within 1,500 ms at first byte')
  expect(failureMessage(new ProbeFault('known'), 'first byte', cancelled)).toBe('known')
  expect(failureMessage(new AddressDenied('denied'), 'first byte', cancelled)).toContain('denied')
})

test('exhaustion of this machine is not a failure of the target', () => {
  expect(() => failureMessage(coded('EMFILE'), 'connect', running)).toThrow(/connect|files/)
})

test('a rejection after an abort is handled', async () => {
  const late = Promise.reject(new Error('late'))
  await expect(abortable(late, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled')
})

test('work is abandoned when its run is aborted, and settles otherwise', async () => {
  const control = new AbortController()
  const waiting = abortable(new Promise(() => {}), control.signal)
  control.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  await expect(abortable(Promise.resolve(7), running.signal)).resolves.toBe(7)
  await expect(abortable(Promise.reject(new Error('broken')), running.signal)).rejects.toThrow('broken')
})
