import { describe, expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start } from '../../../test/support/alert-world.ts'
import type { AlertRule } from '../../catalogue/policies/policies.ts'
import { type Decision, loadAlertState } from './alert-state.ts'
import { neverNotified } from './compare.ts'
import { decide } from './decide.ts'
import type { Incident, Member, Notified } from './model.ts'

const minute = 60_000
const [many, most] = [500, 2000]
const grouped = alertRule({ group: { by: 'tag', waitMs: 0 }, remind: { everyMs: 10 * minute, times: 3 } })

type Believed = Pick<Notified, 'open' | 'flapping'>

type Scenario = {
  readonly rules?: readonly AlertRule[]
  readonly dependsOn?: readonly string[]
  /** State of each member. */
  readonly member?: (i: number) => Partial<Member>
  readonly believed: (subjects: readonly string[]) => Partial<Believed>
  /** An earlier incident with the same members, which a channel believes to be open. */
  readonly hasEarlier?: boolean
  readonly expected: (count: number) => readonly string[]
}

const over: Partial<Member> = { closedAt: start - 1, until: start - 1, endedBy: 'recovered' }
const halfFlapping = (i: number): Partial<Member> => (i % 2 === 0 ? { flappingSince: start - minute } : over)

const scenarios: Readonly<Record<string, Scenario>> = {
  'a reminder': {
    believed: (open) => ({ open }),
    expected: (count) => [`reminder c0 and ${count - 1} more are still failing, for 20 minutes`],
  },
  'members that have settled': {
    believed: (subjects) => ({ open: subjects, flapping: subjects }),
    expected: (count) => [`settled c0 and ${count - 1} more has settled: it is failing`],
  },
  'recovered members next to flapping ones': {
    member: halfFlapping,
    believed: (subjects) => ({ open: subjects, flapping: subjects.filter((_, i) => i % 2 === 0) }),
    expected: (count) => [`update ${count / 2} of ${count} in shop fail since 09:42 UTC, ${count / 2} resolved`],
  },
  'an earlier incident that channels believe to be open': {
    believed: () => ({}),
    hasEarlier: true,
    expected: () => [],
  },
  'members that depend on the last one': {
    dependsOn: ['last'],
    believed: () => ({}),
    expected: () => ['open last is failing'],
  },
  'the removal of a rule': {
    rules: [alertRule({ id: 'other' })],
    believed: () => ({}),
    expected: () => [],
  },
}

describe.each(Object.entries(scenarios))('%s', (_, scenario) => {
  test('is decided for thousands of members', () => {
    const { decision } = decided(scenario, most)
    expect(decision.deliveries.map(({ message: { event, title } }) => `${event} ${title}`)).toEqual(scenario.expected(most))
  })
  test('takes time in proportion to the members', () => {
    expect(decided(scenario, most).reads / decided(scenario, many).reads).toBeLessThan((1.5 * most) / many)
  })
})

function decided(scenario: Scenario, count: number): { readonly decision: Decision; readonly reads: number } {
  const subjects = Array.from({ length: count }, (_, i) => (i === count - 1 ? 'last' : `c${i}`))
  const dependsOn = (id: string) => (id === 'last' ? [] : (scenario.dependsOn ?? []))
  const checks = subjects.map((id) => alertCheck(id, { tags: ['shop'], dependsOn: dependsOn(id) }))
  const world = new AlertWorld({ checks, rules: scenario.rules ?? [grouped] }, start)
  const reads = { count: 0 }
  const members = subjects.map((subject, i) => memberOf(subject, scenario.member?.(i)))
  const incident = incidentOf('now', start - 20 * minute, members)
  const earlier = incidentOf(
    'earlier',
    start - 40 * minute,
    members.map((member) => ({ ...member, ...over, closedAt: start - 30 * minute })),
  )
  const incidents = scenario.hasEarlier ? [earlier, incident] : [incident]
  world.state = loadAlertState({ incidents, notified: [], inFlight: [] })
  for (const each of incidents) world.state.incidents.set(each.id, { ...each, members: each.members.map((one) => counted(one, reads)) })
  const notify = (id: string, believed: Partial<Believed>) =>
    world.state.notified.set(id, new Map([['chat', countedNotified(id, believed, reads)]]))
  if (scenario.hasEarlier) notify('earlier', { open: subjects })
  notify('now', scenario.believed(subjects))
  const decision = decide(world.state, world.input({ checks: new Set(), incidents: new Set(['now']) }))
  return { decision, reads: reads.count }
}

type Reads = { count: number }

function countedNotified(incident: string, { open = [], flapping = [] }: Partial<Believed>, reads: Reads): Notified {
  const at = open.length > 0 ? start - 20 * minute : null
  return {
    ...neverNotified(incident, 'chat'),
    open: countedList(open, reads),
    flapping: countedList(flapping, reads),
    firstAt: at,
    lastAt: at,
  }
}

/** Counts how often the subject is read. */
function counted(member: Member, reads: Reads): Member {
  return Object.defineProperty({ ...member }, 'subject', {
    enumerable: true,
    get() {
      reads.count++
      return member.subject
    },
  })
}

/** Counts how often an item is read. */
function countedList<Item>(items: readonly Item[], reads: Reads): readonly Item[] {
  return new Proxy(items, {
    get(list, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads.count++
      return Reflect.get(list, key)
    },
  })
}

function memberOf(subject: string, more: Partial<Member> = {}): Member {
  const since = start - 20 * minute
  return {
    subject,
    checkId: subject,
    name: subject,
    since,
    openedAt: since,
    closedAt: null,
    until: null,
    endedBy: null,
    reason: null,
    locations: null,
    result: null,
    certificateDays: null,
    changes: [since],
    flappingSince: null,
    ...more,
  }
}

function incidentOf(id: string, openedAt: number, members: readonly Member[]): Incident {
  const closedAt = members.every((member) => member.closedAt !== null) ? start - 30 * minute : null
  const about = { account: 'acme', rule: 'rule', key: 'shop', condition: 'failing', severity: 'critical', acknowledged: null } as const
  return { id, ...about, openedAt, closedAt, members }
}
