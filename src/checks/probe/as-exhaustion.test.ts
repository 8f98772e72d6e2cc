import { expect, test } from 'vitest'
import { asExhaustion, MachineExhausted } from './exhaustion.ts'

const failed = (code: string, more = {}) => Object.assign(new Error('it broke'), { code }, more)

test.each([
  [failed('EMFILE'), 'this process has too many open files (EMFILE)'],
  [failed('ENFILE'), 'this machine has too many open files (ENFILE)'],
  [failed('EAGAIN', { syscall: 'spawn ping' }), 'this machine can start no more processes (EAGAIN)'],
  [failed('ENOMEM'), 'this machine is out of memory (ENOMEM)'],
  [failed('ENOBUFS'), 'this machine is out of network buffers (ENOBUFS)'],
  [failed('EADDRNOTAVAIL', { address: '127.0.0.1', port: 80 }), 'this machine is out of local ports (EADDRNOTAVAIL)'],
  [failed('ENOSPC'), 'the disk for temporary files is full (ENOSPC)'],
  [failed('EDQUOT'), 'the disk quota for temporary files is used up (EDQUOT)'],
  [new Error('lost', { cause: failed('EMFILE') }), 'this process has too many open files (EMFILE)'],
])('%o is about this machine, not the target', (error, message) => {
  const exhausted = asExhaustion(error, 'connect')
  expect(exhausted).toBeInstanceOf(MachineExhausted)
  expect(exhausted).toMatchObject({ message: `${message} at connect`, cause: error })
  expect(asExhaustion(exhausted, 'again')).toBe(exhausted)
})

test.each([
  failed('EAGAIN', { syscall: 'read' }),
  failed('EAGAIN'),
  failed('EADDRNOTAVAIL'),
  failed('EADDRNOTAVAIL', { address: '127.0.0.1', port: 0 }),
  failed('ENOTFOUND'),
  failed('EAI_AGAIN'),
  failed('ECONNREFUSED'),
  failed('toString'),
  new Error('without a code'),
  'EMFILE',
  null,
])('%o is left unchanged', (error) => {
  expect(asExhaustion(error, 'connect')).toBe(error)
})
