import { expect, test } from 'vitest'
import type { Draw } from './demo.ts'
import { checkTypes } from './registry.ts'

const target = { url: 'http://127.0.0.1:8790', hostname: '127.0.0.1', tcpPort: 8791, dnsPort: 8792, pingToken: 'a-token' }
/** Durations that are typical at this level, and chances that are all zero or one. */
const draw = (failing: boolean, comes: boolean): Draw => ({ level: 2, failing, around: (typical) => 2 * typical, chance: () => comes })
const draws = {
  passing: draw(false, false),
  'passing oddly': draw(false, true),
  failing: draw(true, false),
  'failing oddly': draw(true, true),
}

test.each(checkTypes)('a generated run of $type passes or fails as requested, with a reason', ({ demo }) => {
  for (const one of Object.values(draws)) {
    const { failure, broken, state } = demo.run(one)
    expect([failure !== null && failure !== '', broken && !one.failing]).toEqual([one.failing, false])
    if (state !== undefined) expect(state === 'FAILING').toBe(one.failing)
  }
})

test('checks and runs of the demo match the golden file', async () => {
  const lines = checkTypes.flatMap(({ type, demo }) => [
    `${type} ${demo.name} [${demo.tags}] ${JSON.stringify(demo.settings(target))} [${Object.keys(demo.files)}]`,
    ...Object.entries(draws).map(([name, one]) => `  ${name}: ${JSON.stringify(demo.run(one))}`),
  ])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../test/golden/demo-runs.txt')
})
