import { expect, test } from 'vitest'
import { service } from '../../test/support/catalogue.ts'
import { exampleCheck, runTypes } from '../../test/support/example-config.ts'
import { checkTypes } from '../checks/registry.ts'
import { apiError } from '../errors.ts'
import { judgeNew, judgeStored, movedText, parseStored } from './judge-stored.ts'
import { documentText } from './managed-document.ts'
import { resourceChange } from './resources/active-resources.ts'
import { readResourceBody } from './resources/read-resource-body.ts'
import { invalidDefinition, isThere, type PlannedWrite, writtenBy } from './writing.ts'

const faults = (count: number) => Array.from({ length: count }, (_, i) => ({ pointer: i === 0 ? '' : `/f${i}`, message: `m${i}` }))

test.each([
  [1, 'm0'],
  [5, 'm0; /f1: m1; /f2: m2; /f3: m3; /f4: m4'],
  [7, 'm0; /f1: m1; /f2: m2; /f3: m3; /f4: m4; and 2 more'],
])('the message of %i faults has the first ones, and all are listed', (count, text) => {
  const { message, faults: all, code } = invalidDefinition(faults(count))
  expect([message, all, code]).toEqual([apiError('INVALID_DEFINITION', { faults: text }).message, faults(count), 'INVALID_DEFINITION'])
})

test('a write creates the version after the expected one', () => {
  const planned = { change: { id: 'a', action: 'update', expected: 3 }, changes: ['c'] } as unknown as PlannedWrite
  expect(writtenBy(planned)).toEqual({ id: 'a', action: 'update', version: 4, changes: ['c'] })
})

const version = { kind: 'check-group', account: 'acme', id: '7', version: 2, at: 9 }
const body = (definition: object) => documentText({ definition: definition as never, createdAt: 5 })

test('a document exists until it is deleted', () => {
  const head = (text: string | null) => ({ ...version, body: text }) as unknown as Parameters<typeof isThere>[0]
  expect([undefined, null, head(null), head('{}')].map(isThere)).toEqual([false, false, false, true])
})

test('a resource is its newest version, and removed if that is a deletion or has no definition', () => {
  const gone = { kind: 'check-group', account: 'acme', id: '7', resource: null }
  expect(resourceChange({ ...version, body: null })).toEqual(gone)
  expect(resourceChange({ ...version, body: body({}) })).toEqual(gone)
  expect(resourceChange({ ...version, body: body({ name: 'G' }) })).toEqual({
    ...gone,
    resource: { ...version, at: undefined, definition: { name: 'G' }, createdAt: 5, updatedAt: 9 },
  })
})

const bodyProblem = (given: unknown) => {
  try {
    return readResourceBody(given, (reader) => reader.text('name'))
  } catch (problem) {
    return (problem as { faults?: unknown }).faults
  }
}

test('the body of a resource is an object of limited depth, with only known properties', () => {
  let deep: unknown = 1
  for (let i = 0; i < 200; i++) deep = { deep }
  expect(bodyProblem({ name: 'G' })).toBe('G')
  for (const given of [null, [], 'text']) expect(bodyProblem(given)).toEqual([{ pointer: '', message: 'the body must be an object' }])
  expect(bodyProblem({ name: 'G', more: 1 })).toMatchObject([{ pointer: '/more' }])
  expect(bodyProblem({ name: 1 })).toMatchObject([{ pointer: '/name' }])
  expect(bodyProblem({ name: 'G', deep })).toMatchObject([{ message: expect.stringContaining('deep') }])
})

const requestType = runTypes.find(({ groupRequest }) => groupRequest)
const coded = checkTypes.find(({ codeSettings }) => codeSettings)
if (!requestType || !coded) throw new Error('a test needs these types')
const definition = { ...exampleCheck(requestType), id: 'cart' }
const context = { account: { id: 'acme' }, env: {}, service }

test('a stored definition is validated by the current rules', () => {
  expect(judgeStored('cart', { definition }, context)).toHaveProperty('check.id', 'cart')
  expect(judgeStored('other', { definition }, context)).toEqual({ faults: [{ pointer: '/id', message: 'the id must be other' }] })
  expect(judgeNew('other', definition, context)).toEqual({ faults: [{ pointer: '/id', message: 'the id must be other' }] })
  expect(judgeStored('cart', { definition, destination: 'sha256:0' }, context)).toEqual({ faults: [{ pointer: '', message: movedText }] })
  expect(judgeStored('cart', { definition: { ...definition, name: 7 as never } }, context)).toHaveProperty('faults')
})

test('a definition that cannot be parsed is a fault that does not quote it', () => {
  const broken = {
    get name(): string {
      throw new RangeError('hunter2')
    },
  } as never
  const expected = {
    faults: [{ pointer: '', message: expect.stringMatching(/internal error \(RangeError\): write it again, or delete it$/) }],
  }
  expect(parseStored(broken, context)).toEqual(expected)
  expect(judgeStored('cart', { definition: broken }, context)).toEqual(expected)
})
