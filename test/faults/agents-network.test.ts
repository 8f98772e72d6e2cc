// @slow ci waiting
import { expect, test } from 'vitest'
import { agentProcesses, recordedIn } from '../support/agent-processes.ts'
import { createNamespaces, namespacesMissing } from '../support/network-namespaces.ts'

const generous = { timeout: 120_000, interval: 250 }
const missing = namespacesMissing()
if (missing) console.log(`Agents are not tested in separate networks: ${missing}.`)

/** Optional, since few containers have the rights to create networks. */
test.skipIf(missing !== null)(
  'agents in separate networks run checks from there, take over from an isolated agent, and lose and duplicate nothing',
  { timeout: 600_000 },
  async () => {
    const { hub, namespaces } = createNamespaces(2)
    const [near, far] = namespaces as [(typeof namespaces)[0], (typeof namespaces)[0]]
    const world = await agentProcesses(20, { host: hub.address, wrapper: hub.wrapper })
    const runsOf = ({ address }: typeof near) => world.ranFrom().filter((one) => one === address).length
    const server = await world.serve()
    const agents = [await world.agent('near', near), await world.agent('far', far)] as const
    await expect.poll(() => Math.min(runsOf(near), runsOf(far)), generous).toBeGreaterThan(2)

    far.cut()
    await expect.poll(() => world.outboxed('far').length, generous).toBeGreaterThan(0)
    const before = runsOf(near)
    await expect.poll(() => runsOf(near) - before, generous).toBeGreaterThan(40)

    far.mend()
    const returned = runsOf(far)
    await expect.poll(() => runsOf(far) - returned, generous).toBeGreaterThan(5)
    await expect.poll(() => world.outboxed('far').length, generous).toBe(0)
    for (const agent of agents) await agent.stop()
    await server.stop()
    const stored = await world.stored()
    expect(new Set(stored).size).toBe(stored.length)
    expect(agents.flatMap(recordedIn).filter((id) => !stored.includes(id))).toEqual([])
    expect([...new Set(world.ranFrom())].toSorted()).toEqual([near.address, far.address].toSorted())
  },
)
