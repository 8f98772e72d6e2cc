import { expect, test } from 'vitest'
import { managedVariables, sealedName } from './variables.ts'
import { createVault } from './vault.ts'

const [vault, otherVault] = [createVault(Buffer.alloc(32, 1)), createVault(Buffer.alloc(32, 2))]
const account = { id: 'acme', managedVariables: ['OPEN', 'UNSET'] }
const sources = { account, env: { OPEN: 'of the server', HOME: '/root' }, vault }

test('a check has its own variables, those of its group, and only allowed ones of the server', () => {
  const group = { environment: { A: 'group', B: 'group', OPEN: 'group' }, locked: ['A'] }
  const { env, secretNames } = managedVariables(sources, {
    group,
    check: { environment: { A: 'check', C: 'check' }, locked: ['C', 'OPEN'] },
  })
  expect(env).toEqual({ A: 'check', B: 'group', C: 'check', OPEN: 'of the server' })
  expect([...(secretNames ?? [])]).toEqual(['C'])
})

test('a secret variable is decrypted only for its owner', () => {
  const place = { account: 'acme', name: sealedName('check', 'TOKEN') }
  const check = { environment: { TOKEN: vault.seal('hunter2', place) }, secret: ['TOKEN'] }
  expect(managedVariables(sources, { check })).toMatchObject({ env: { TOKEN: 'hunter2' }, secretNames: new Set(['TOKEN']) })
  expect(managedVariables(sources, { group: check }).env).not.toHaveProperty('TOKEN')
  expect(managedVariables({ ...sources, vault: otherVault }, { check }).env).not.toHaveProperty('TOKEN')
})

test('a variable without a value is reported with the reason', () => {
  const check = { environment: { TOKEN: 'v1:abc' }, secret: ['TOKEN'] }
  const { unset } = managedVariables(sources, { check })
  expect(['GROUP_BASE_URL', 'UNSET', 'TOKEN', 'HOME'].map((name) => unset?.(name))).toEqual([
    `$\{GROUP_BASE_URL} is the url of the group of a check: there is none, or it is too long to stand here so often`,
    `$\{UNSET} is not set in the environment`,
    `$\{TOKEN} cannot be decrypted: the server does not have its encryption key`,
    expect.stringMatching(/^\$\{HOME\} is no variable of this check, its group or account, and not open to managed checks/),
  ])
})

test('files of the server cannot be referenced', () => {
  expect(() => managedVariables(sources).fileText?.('/etc/passwd')).toThrow('files can be referenced only in the config file')
})
