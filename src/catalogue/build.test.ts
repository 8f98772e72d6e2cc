import { expect, test } from 'vitest'
import { account, service, testCheck, testKey, testLink, testSlo } from '../../test/support/catalogue.ts'
import { anyRunType, pingedTypes } from '../../test/support/example-config.ts'
import type { CheckType } from '../checks/define.ts'
import { sha256 } from '../ids/sha256.ts'
import { buildCatalogue } from './build.ts'
import type { Check } from './catalogue.ts'
import { noPolicies } from './policies/policies.ts'

/** A catalogue of checks with these ids, in file order, each created at the given time. */
function catalogueOf(...created: readonly (readonly [id: string, createdAt: number])[]) {
  const checks = created.map(([id]) => ({ ...testCheck(anyRunType(), { id }), fingerprint: id }))
  const lifetimes = created.map(([, createdAt]) => ({ createdAt, updatedAt: createdAt }))
  const accounts = [{ id: account, name: account, publicBadges: false }]
  return buildCatalogue({ service, accounts, keys: [], links: [], checks, policies: new Map() }, lifetimes)
}

const ids = (checks: readonly { readonly id: string }[]) => checks.map(({ id }) => id)

test('older checks come first, whatever their ids and their order in the file', () => {
  const catalogue = catalogueOf(['a', 300], ['c', 100], ['b', 200])
  expect(ids(catalogue.checks(account))).toEqual(['c', 'b', 'a'])
  expect(ids(catalogue.allChecks())).toEqual(['c', 'b', 'a'])
})

test('checks that were created at the same time are ordered by id', () => {
  const catalogue = catalogueOf(['b', 200], ['d', 100], ['a', 200], ['c', 200])
  expect(ids(catalogue.checks(account))).toEqual(['d', 'a', 'b', 'c'])
})

test('an unchanged check is the same object in the next catalogue', () => {
  const definition = { ...testCheck(anyRunType(), { id: 'homepage' }), fingerprint: '1' }
  const build = (updatedAt: number) =>
    buildCatalogue({ service, accounts: [], keys: [], links: [], checks: [definition], policies: new Map() }, [{ createdAt: 1, updatedAt }])
  const [first] = build(1).allChecks()
  expect(build(1).allChecks()[0]).toBe(first)
  expect(build(2).allChecks()).toEqual([{ ...first, updatedAt: 2 }])
})

test('an account is found only by the hash of its ping key', () => {
  const accounts = ['acme', 'umbrella'].map((id) => ({ id, name: id, publicBadges: false, pingKeyHash: sha256(`key of ${id}`) }))
  const catalogue = buildCatalogue({ service, accounts, keys: [], links: [], checks: [], policies: new Map() }, [])
  expect(catalogue.accountByPingKey(sha256('key of umbrella'))?.id).toBe('umbrella')
  expect(catalogue.accountByPingKey(sha256('another'))).toBeUndefined()
})

test('a location is run by agents if its account has an agent key for it', () => {
  const checks = ['acme', 'umbrella'].map((owner) => ({
    ...testCheck(anyRunType(), { account: owner, locations: ['eu', 'us'] }),
    fingerprint: '1',
  }))
  const keys = [testKey('tdm_agent', 'acme', ['agent:eu']), testKey('tdm_reader', 'umbrella', ['read'])]
  const catalogue = buildCatalogue({ service, accounts: [], keys, links: [], checks, policies: new Map() }, [])
  expect(catalogue.allChecks().map((check) => [check.account, check.agentLocations])).toEqual([
    ['acme', ['eu']],
    ['umbrella', []],
  ])
})

test('everything is found by account, id, hash and token, separately for each account', () => {
  const [pinged] = pingedTypes
  const owners = ['acme', 'umbrella'] as const
  const checks = owners.flatMap((owner) => [
    { ...testCheck(anyRunType(), { id: 'homepage', account: owner }), fingerprint: '1' },
    { ...testCheck(pinged as CheckType, { id: `job-${owner}`, account: owner }), fingerprint: '2' },
  ])
  const accounts = owners.map((id) => ({ id, name: id, publicBadges: false }))
  const keys = owners.map((owner) => testKey(`tdm_key_of_${owner}`, owner, ['read']))
  const links = owners.map((owner, i) => ({ ...testLink(`tdl_0000000${i}_x`, '/v1/slos'), account: owner }))
  const policies = new Map([['umbrella', { ...noPolicies, slos: [testSlo('fast')] }]])
  const catalogue = buildCatalogue(
    { service, accounts, keys, links, checks, policies },
    checks.map((_, createdAt) => ({ createdAt, updatedAt: 7 })),
  )
  expect(ids(catalogue.allChecks())).toEqual(['homepage', 'job-acme', 'homepage', 'job-umbrella'])
  for (const link of links) expect(catalogue.link(link.id)).toBe(link)
  for (const owner of owners) {
    expect(catalogue.account(owner)).toMatchObject({ id: owner })
    expect(ids(catalogue.checks(owner))).toEqual(['homepage', `job-${owner}`])
    expect(catalogue.check(owner, 'homepage')).toMatchObject({ account: owner, id: 'homepage', updatedAt: 7 })
    expect(catalogue.keyByHash(sha256(`tdm_key_of_${owner}`))).toMatchObject({ account: owner })
    const job = catalogue.check(owner, `job-${owner}`)
    expect(job).toBeDefined()
    expect(ids(catalogue.policies(owner).slos)).toEqual(owner === 'umbrella' ? ['fast'] : [])
  }
  const job = catalogue.check('umbrella', 'job-umbrella') as Check
  expect(catalogue.checkByPingToken(job.checkType.pingSettings?.(job.settings).tokenHash ?? '')).toBe(job)
  expect(catalogue.checkByPingToken('')).toBeUndefined()
  expect(catalogue.check('acme', 'job-umbrella')).toBeUndefined()
  expect(catalogue.check('nobody', 'homepage')).toBeUndefined()
  expect(catalogue.checks('nobody')).toEqual([])
  expect(catalogue.account('nobody')).toBeUndefined()
  expect(catalogue.keyByHash('nothing')).toBeUndefined()
  expect(catalogue.policies('nobody')).toEqual(noPolicies)
  expect(catalogue.service()).toBe(service)
})
