import { expect, test } from 'vitest'
import { createDeployTurns } from './deploy-turns.ts'

function createGate() {
  let settle: (problem?: Error) => void = () => {}
  const promise = new Promise<void>((resolve, reject) => {
    settle = (problem) => (problem ? reject(problem) : resolve())
  })
  return { promise, open: () => settle(), fail: () => settle(new Error('a fault')) }
}

const refused = { code: 'TOO_MANY_DEPLOYMENTS', statusCode: 429 }

test('deployments of an account run one after the other, and few may wait', async () => {
  const inTurn = createDeployTurns()
  const gate = createGate()
  const order: string[] = []
  const first = inTurn('a', () => gate.promise.then(() => order.push('first')))
  const second = inTurn('a', async () => order.push('second'))
  await expect(inTurn('a', async () => order.push('third'))).rejects.toMatchObject(refused)
  await inTurn('b', async () => order.push('other account'))
  gate.open()
  await Promise.all([first, second])
  await inTurn('a', async () => order.push('later'))
  expect(order).toEqual(['other account', 'first', 'second', 'later'])
})

test('a server runs a few at a time, and a failed one frees its slot', async () => {
  const inTurn = createDeployTurns()
  const gate = createGate()
  const four = Promise.allSettled(['a', 'b', 'c', 'd'].map((account) => inTurn(account, () => gate.promise)))
  await expect(inTurn('e', async () => 'made')).rejects.toMatchObject(refused)
  gate.fail()
  await four
  expect(await inTurn('e', async () => 'made')).toBe('made')
})
