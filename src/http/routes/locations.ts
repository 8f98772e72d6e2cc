import { isRun } from '../../catalogue/catalogue.ts'
import type { KnownAgent } from '../../locations/location-agents.ts'
import { compareText } from '../../text/compare-text.ts'
import { isoText } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { readParams } from '../input/params.ts'
import { locationSchema } from '../reference/account-schemas.ts'
import type { Doc, Routes } from '../route.ts'

const doc: Doc = {
  group: 'Locations',
  summary: 'Where checks run, and the agents there',
  description: 'Every location of a check of the account, and others with agents. Lists agents that reported since the server started.',
  query: {},
  answer: {
    description: 'By location; agents by their first contact.',
    schema: { type: 'array', items: locationSchema },
    example: [
      {
        location: 'eu-west-1',
        runBy: 'agents',
        runsHere: false,
        checks: 60,
        agents: [
          {
            instance: '4f2c0d3e-6b3c-4f8f-9d57-1f0f3c1a2b3c',
            name: 'probe-1.example.com',
            version: '0.2.0',
            state: 'live',
            firstContact: '2026-11-14T09:00:00.000Z',
            lastContact: '2026-11-14T10:00:00.000Z',
            clockOffsetMs: 12,
            stampsServerTime: false,
            backlog: 0,
            agentDropped: 0,
            canary: 'reached',
            checks: 31,
          },
        ],
      },
    ],
  },
}

export const locationRoutes: Routes = (app, { catalogue, agents, runsHere }) => {
  app.get('/v1/locations', { config: { access: 'read', doc } }, async (request) => {
    readParams({}, request.query)
    const account = callerOf(request).account.id
    const checks = catalogue.checks(account).filter(isRun)
    const here = new Map<string, { checks: number; byAgents: boolean }>()
    for (const { locations, agentLocations } of checks)
      for (const location of locations) {
        const known = here.get(location) ?? { checks: 0, byAgents: false }
        here.set(location, { checks: known.checks + 1, byAgents: known.byAgents || agentLocations.includes(location) })
      }
    const names = [...new Set([...here.keys(), ...agents.locations(account)])].toSorted(compareText)
    const { runnerLocations } = catalogue.service()
    return names.map((location) => {
      const { checks, byAgents } = here.get(location) ?? { checks: 0, byAgents: true }
      const byServer = runnerLocations === null || runnerLocations.includes(location)
      const runBy = byAgents ? 'agents' : byServer ? 'server' : 'none'
      return {
        location,
        runBy,
        runsHere: runBy === 'server' && runsHere(location),
        checks,
        agents: agents.agents({ account, location }).map(shown),
      }
    })
  })
}

function shown({ session: _, protocol: __, canaryAt: ___, takesTrials: ____, firstContact, lastContact, ...agent }: KnownAgent) {
  return { ...agent, firstContact: isoText(firstContact), lastContact: isoText(lastContact) }
}
