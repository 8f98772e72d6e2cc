import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, type Outcome, start, type Weather } from '../../../test/support/alert-world.ts'
import { triesOf } from '../../../test/support/tries.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import type { AlertRule } from '../../catalogue/policies/policies.ts'

const minute = 60_000
const channels = ['chat', 'mail', 'boss'] as const
const ids = ['a', 'b', 'c', 'd'] as const

type Command = { readonly name: string; readonly run: (model: Model) => void }
const command = (name: string, run: (model: Model) => void): Command => ({ name, run })

/** The world, and its expected configuration. */
type Model = {
  readonly world: AlertWorld
  checks: readonly Check[]
  rules: readonly AlertRule[]
}

const check = fc.constantFrom(...ids)
const outcome = fc.constantFrom<Outcome>('up', 'down', 'down', 'up', 'degraded')
const passing = fc.constantFrom(1000, 20_000, minute, 3 * minute, 12 * minute, 45 * minute)
const location = fc.constantFrom('eu', 'us')

/** Additional checks, so that many can fail at once. */
const others = ['e', 'f', 'g'] as const
const all = [...ids, ...others]

const ruleChanges = fc.constantFrom<Partial<AlertRule>>(
  { group: { by: 'none', waitMs: 0 } },
  { group: { by: 'tag', waitMs: 30_000 } },
  { group: { by: 'location', waitMs: 0 } },
  { tags: ['shop'] },
  { tags: [] },
  { after: { runs: 2 } },
  { severity: 'warning' },
  { when: { kind: 'degraded' } },
  { when: { kind: 'failing' } },
  { when: { kind: 'silent' }, after: { runs: 1 }, recoverAfter: { runs: 1 } },
  { quorum: 2 },
)

/** The server is killed after a channel accepted a message and before its answer is on disk. Something else happens during the downtime. */
const kills: fc.Arbitrary<Command> = fc
  .record({ channel: fc.constantFrom(...channels), id: check, how: outcome, next: check, nextHow: outcome })
  .map(({ channel, id, how, next, nextHow }) =>
    command(`a kill while ${channel} hears of ${id} ${how}, then ${next} ${nextHow}`, ({ world }) => {
      world.weather.set(channel, 'ambiguous')
      world.result(id, how)
      world.weather.set(channel, 'delivers')
      world.stop()
      world.result(next, nextHow)
      world.restart()
    }),
  )

const agents: fc.Arbitrary<Command> = fc
  .record({
    at: location,
    instance: fc.constantFrom('p', 'q'),
    session: fc.constantFrom('1', '2'),
    isStopped: fc.boolean(),
    agoMs: fc.constantFrom(0, 0, 20_000),
  })
  .map(({ at, instance, ...more }) =>
    command(`agent ${instance} of ${at} ${more.isStopped ? 'stops' : 'reports'}`, ({ world }) => world.hearAgent(at, instance, more)),
  )

const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(check, outcome, location)
      .map(([id, how, runLocation]) => command(`${id} ${how} at ${runLocation}`, ({ world }) => world.result(id, how, { runLocation }))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(check, outcome, fc.integer({ min: -10 * minute, max: minute }))
      .map(([id, how, offset]) =>
        command(`${id} ${how} ${offset} ms off`, ({ world }) => world.result(id, how, { startedAt: world.now + offset })),
      ),
  },
  { weight: 6, arbitrary: passing.map((ms) => command(`${ms} ms pass`, ({ world }) => world.advance(ms))) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: -30 * minute, max: 30 * minute })
      .map((ms) => command(`the clock jumps by ${ms}`, ({ world }) => jump(world, ms))),
  },
  { weight: 2, arbitrary: fc.constant(command('a restart', ({ world }) => world.restart())) },
  {
    weight: 1,
    arbitrary: fc.boolean().map((seen) => command(`answers ${seen ? 'come' : 'are lost'}`, ({ world }) => world.endAttempts(seen))),
  },
  { weight: 2, arbitrary: kills },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...channels).map((channel) => command(`${channel} is given up`, ({ world }) => world.giveUp(channel))),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(location, outcome).map(([runLocation, how]) =>
      command(`all ${how} at ${runLocation}`, ({ world }) => {
        world.results([...ids, ...others].map((id) => [id, how, { runLocation }]))
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(location, fc.boolean()).map(([runLocation, lost]) =>
      command(`the canaries of ${runLocation} are ${lost ? 'lost' : 'reached'}`, ({ world }) => {
        if (lost) world.unreachable.set(runLocation, world.now)
        else world.unreachable.delete(runLocation)
        world.decide('all')
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: location.map((runLocation) =>
      command(`the canaries of ${runLocation} are probed`, ({ world }) => {
        world.probed.set(runLocation, world.now)
        world.decide('all')
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('shop', 'bank').map((tag) => command(`a maintenance of ${tag}`, (model) => maintain(model, tag))),
  },
  { weight: 1, arbitrary: fc.constant(command('maintenance ends', (model) => maintain(model, null))) },
  {
    weight: 1,
    arbitrary: ruleChanges.map((change) => command(`the rule has ${JSON.stringify(change)}`, (model) => changeRule(model, change))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...channels), fc.constantFrom<Weather>('delivers', 'fails', 'ambiguous', 'slow'))
      .map(([channel, weather]) => command(`${channel} ${weather}`, ({ world }) => world.weather.set(channel, weather))),
  },
  { weight: 2, arbitrary: fc.constant(command('a retry', ({ world }) => world.retry())) },
  { weight: 1, arbitrary: fc.constant(command('an acknowledgement', ({ world }) => world.acknowledge())) },
  { weight: 1, arbitrary: check.map((id) => command(`a silence of ${id}`, ({ world }) => silence(world, [id]))) },
  { weight: 1, arbitrary: fc.constant(command('silences end', ({ world }) => endSilences(world))) },
  { weight: 2, arbitrary: agents },
  {
    weight: 1,
    arbitrary: fc
      .tuple(check, fc.constantFrom('muted', 'activated'))
      .map(([id, flag]) => command(`${id} is ${flag} or not`, (model) => toggle(model, id, flag))),
  },
  { weight: 1, arbitrary: check.map((id) => command(`${id} is removed or added`, (model) => toggleCheck(model, id))) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...channels)
      .map((channel) => command(`${channel} is added or removed`, (model) => toggleChannel(model, channel))),
  },
)

function jump(world: AlertWorld, ms: number): void {
  world.now += ms
  world.decide('all')
}

function silence(world: AlertWorld, checks: readonly string[]): void {
  world.silences.push({
    id: `${world.silences.length}`,
    account: 'acme',
    checks,
    tags: [],
    from: world.now,
    to: world.now + 10 * minute,
    by: 'ann',
    comment: '',
  })
  world.decide('all')
}

function endSilences(world: AlertWorld): void {
  world.silences = []
  world.decide('all')
}

function toggle(model: Model, id: string, flag: string): void {
  const change = (each: Check): Check => {
    if (each.id !== id) return each
    return flag === 'muted' ? { ...each, muted: !each.muted } : { ...each, activated: !each.activated }
  }
  model.checks = model.checks.map(change)
  model.world.reconfigure(model.checks, model.rules)
}

function toggleCheck(model: Model, id: string): void {
  const rest = model.checks.filter((each) => each.id !== id)
  model.checks = rest.length < model.checks.length ? rest : [...rest, checkOf(id)]
  model.world.reconfigure(model.checks, model.rules)
}

function toggleChannel(model: Model, channel: string): void {
  model.rules = model.rules.map((rule) => {
    const to = rule.steps[0]?.to ?? []
    const others = to.filter((each) => each !== channel)
    return {
      ...rule,
      steps: [{ afterMs: 0, to: others.length < to.length ? others : [...others, channel], during: null, outside: 'hold' as const }],
    }
  })
  model.world.reconfigure(model.checks, model.rules)
}

function maintain({ world, checks, rules }: Model, tag: string | null): void {
  const { now } = world
  world.policies = tag === null ? {} : { maintenance: [{ name: 'move', checks: [], tags: [tag], from: now, to: now + 20 * minute }] }
  world.reconfigure(checks, rules)
}

function changeRule(model: Model, change: Partial<AlertRule>): void {
  model.rules = model.rules.map((rule) => ({ ...rule, ...change }))
  model.world.reconfigure(model.checks, model.rules)
}

function checkOf(id: string): Check {
  return alertCheck(id, {
    tags: id < 'c' ? ['shop'] : ['bank'],
    locations: ['eu', 'us'],
    agentLocations: ['eu', 'us'],
    dependsOn: id === 'b' ? ['a'] : [],
  })
}

const rules: fc.Arbitrary<AlertRule> = fc
  .record({
    after: fc.constantFrom<AlertRule['after']>({ runs: 1 }, { runs: 2 }, { timeMs: 2 * minute }),
    recoverAfter: fc.constantFrom<AlertRule['after']>({ runs: 1 }, { runs: 2 }, { timeMs: minute }),
    quorum: fc.constantFrom<AlertRule['quorum']>(1, 2, 'majority'),
    group: fc.constantFrom<AlertRule['group']>(
      { by: 'none', waitMs: 0 },
      { by: 'tag', waitMs: 30_000 },
      { by: 'location', waitMs: 10_000 },
      { by: 'tag', waitMs: 0 },
    ),
    remind: fc.constantFrom(null, { everyMs: 10 * minute, times: 2 }),
    when: fc.constantFrom<AlertRule['when']>({ kind: 'failing' }, { kind: 'failing' }, { kind: 'degraded' }, { kind: 'silent' }),
  })
  // Rules about silence have no thresholds.
  .map((more) => (more.when.kind === 'silent' ? { ...more, after: { runs: 1 }, recoverAfter: { runs: 1 } } : more))
  .map((more) => alertRule({ ...more, steps: [{ afterMs: 0, to: ['chat', 'mail'], during: null, outside: 'hold' }] }))

/** The `limit` of decisions; undefined for none. */
const limit = fc.constantFrom(undefined, 1, 2, 5)

test('whatever happens, no channel receives a message twice, no recovery precedes its alert, and in the end channels know the true state', () => {
  fc.assert(
    fc.property(rules, fc.array(commands, { maxLength: 40, size: 'max' }), limit, (rule, steps, most) => void holds(rule, steps, most)),
    { numRuns: triesOf(500) },
  )
})

test('whatever is being sent when the server is killed, it is sent at most once more, with the same id', () => {
  const changes: fc.Arbitrary<Command> = fc.oneof(
    { weight: 4, arbitrary: kills },
    { weight: 2, arbitrary: fc.tuple(check, outcome).map(([id, how]) => command(`${id} ${how}`, ({ world }) => world.result(id, how))) },
    { weight: 2, arbitrary: fc.constantFrom(1000, minute).map((ms) => command(`${ms} ms pass`, ({ world }) => world.advance(ms))) },
    { weight: 1, arbitrary: check.map((id) => command(`a silence of ${id}`, ({ world }) => silence(world, [id]))) },
    { weight: 1, arbitrary: check.map((id) => command(`${id} is paused or not`, (model) => toggle(model, id, 'activated'))) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...channels).map((id) => command(`${id} is added or removed`, (model) => toggleChannel(model, id))),
    },
  )
  const group = fc.constantFrom<AlertRule['group']>({ by: 'none', waitMs: 0 }, { by: 'tag', waitMs: 0 }, { by: 'location', waitMs: 0 })
  const rule = group.map((by) => alertRule({ group: by, steps: [{ afterMs: 0, to: ['chat', 'mail'], during: null, outside: 'hold' }] }))
  fc.assert(
    fc.property(rule, fc.array(changes, { maxLength: 12, size: 'max' }), limit, (each, steps, most) => void holds(each, steps, most)),
    { numRuns: triesOf(500) },
  )
})

test('whatever many checks do at once, and whenever the server is killed, digests report it once and in order', () => {
  // Each has a location of its own, so that no storm begins.
  const many = Array.from({ length: 16 }, (_, i) => alertCheck(`m${i}`, { locations: [`m${i}`] }))
  const some = fc.subarray(
    many.map(({ id }) => id),
    { minLength: 1 },
  )
  const turn = (world: AlertWorld, which: readonly string[], how: Outcome) =>
    world.results(which.map((id) => [id, how, { runLocation: id }]))
  const upOrDown = fc.constantFrom<Outcome>('up', 'down')
  const changes: fc.Arbitrary<Command> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(some, upOrDown).map(([which, how]) => command(`${which.join()} ${how}`, ({ world }) => turn(world, which, how))),
    },
    {
      weight: 5,
      arbitrary: fc
        .constantFrom(1000, 5000, 10_000, 30_000, minute, 5 * minute)
        .map((ms) => command(`${ms} ms pass`, ({ world }) => world.advance(ms))),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom(1000, 10_000, minute), some, upOrDown).map(([ms, which, how]) =>
        command(`a kill within ${ms} ms, then ${which.join()} ${how}`, ({ world }) => {
          world.weather.set('chat', 'ambiguous')
          world.advance(ms)
          world.weather.set('chat', 'delivers')
          world.stop()
          turn(world, which, how)
          world.restart()
        }),
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom<Weather>('delivers', 'fails', 'ambiguous', 'slow')
        .map((weather) => command(`chat ${weather}`, ({ world }) => world.weather.set('chat', weather))),
    },
    {
      weight: 1,
      arbitrary: fc.boolean().map((seen) => command(`answers ${seen ? 'come' : 'are lost'}`, ({ world }) => world.endAttempts(seen))),
    },
    { weight: 1, arbitrary: fc.constant(command('a retry', ({ world }) => world.retry())) },
    { weight: 1, arbitrary: some.map((which) => command(`a silence of ${which.join()}`, ({ world }) => silence(world, which))) },
  )
  let digests = 0
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 25, size: 'max' }), limit, (steps, most) => {
      const world = holds(alertRule(), steps, most, many)
      digests += world.received.filter(({ delivery }) => /^\d+ of 16 fail/.test(delivery.message.title)).length
    }),
    { numRuns: triesOf(300) },
  )
  expect(digests).toBeGreaterThan(0)
})

function holds(rule: AlertRule, steps: readonly Command[], most: number | undefined, checks = all.map(checkOf)): AlertWorld {
  const limit = most === undefined ? {} : { limit: most }
  const world = new AlertWorld({ checks, rules: [rule], ...limit }, start)
  const model: Model = { world, checks, rules: [rule] }
  for (const { run } of steps) {
    const notified = world.received.length
    run(model)
    staysQuiet(world, notified)
  }
  comeToRest(model)
  opensWhatIsDown(model)
  opensWhoIsSilent(model)
  believesTheTruth(model)
  tellsInOrder(world)
  return world
}

/** Nothing new is sent about checks that are muted or silenced at that time. */
function staysQuiet({ received, silences, plan }: AlertWorld, from: number): void {
  const known = new Set(received.slice(0, from).map(({ delivery }) => delivery.message.id))
  for (const { at, delivery } of received.slice(from)) {
    if (known.has(delivery.message.id)) continue
    const fresh = delivery.message.subjects.filter(({ isNew, until }) => isNew && until === null)
    const isSilenced = (id: string) => silences.some((silence) => silence.checks.includes(id) && silence.from <= at && at < silence.to)
    const quiet = fresh.filter(({ check: about }) => about && (plan.checks.get(about.id)?.muted || isSilenced(about.id)))
    expect(quiet).toEqual([])
  }
}

/** All channels work, all silences end, the states of checks stay as they are, and time passes. */
function comeToRest(model: Model): void {
  const { world } = model
  for (const channel of channels) world.weather.set(channel, 'delivers')
  world.endAttempts(false)
  world.unreachable.clear()
  maintain(model, null)
  endSilences(world)
  world.retry()
  const states = new Map(Array.from(world.plan.checks.keys(), (id) => [id, world.tracker.check(id)]))
  const lasting = [...states].flatMap(([id, facts]) =>
    (world.plan.checks.get(id)?.locations ?? []).map(
      (runLocation) => [id, facts?.downLocations.includes(runLocation) ? 'down' : 'up', { runLocation }] as const,
    ),
  )
  for (let round = 0; round < 35; round++) {
    world.advance(minute)
    world.results(lasting)
  }
  // Changes from before the clock was set back may have made a member flap.
  world.advance(35 * minute)
  world.results(lasting)
  world.advance(minute)
  world.retry()
}

/** By then the state of each check has lasted long enough for any rule. */
function opensWhatIsDown({ world, rules: [rule] }: Model): void {
  if (rule?.when.kind !== 'failing') return
  for (const check of world.plan.checks.values()) {
    const isDown = check.activated && world.tracker.check(check.id)?.states.get(rule.quorum)?.state === 'down'
    const members = world.incidents().flatMap((incident) => (incident.condition === 'failing' ? incident.members : []))
    const open = members.filter(({ checkId, closedAt }) => checkId === check.id && closedAt === null)
    expect([check.id, open.length]).toEqual([check.id, isDown ? 1 : 0])
  }
}

/** By then results come from all locations, and no agent has reported for a long time. */
function opensWhoIsSilent({ world }: Model): void {
  const { plan, now } = world
  const rule = [...plan.rules.values()].find(({ when }) => when.kind === 'silent')
  if (!rule) return
  const isRun = (plan.selected.get(rule) ?? []).some(({ activated }) => activated)
  const silent = ['eu', 'us'].flatMap((at) =>
    world.agents.of('acme', at).flatMap(({ instance, lastAt }) => (now - lastAt >= 2 * minute ? `agent ${at} ${instance}` : [])),
  )
  const members = world.incidents().flatMap((incident) => (incident.condition === 'silent' ? incident.members : []))
  // A flapping member stays open until it settles, which takes longer if the clock was set back.
  const open = members.filter(({ closedAt, until }) => closedAt === null && until === null).map(({ subject }) => subject)
  expect(open.sort()).toEqual(isRun ? silent.sort() : [])
}

function believesTheTruth({ world }: Model): void {
  for (const incident of world.incidents()) {
    for (const channel of world.plan.channels.keys()) {
      const notified = world.state.notified.get(incident.id)?.get(channel)
      const steps = world.plan.rules.get(incident.rule)?.steps ?? []
      if (notified === undefined && !steps.some(({ to }) => to.includes(channel))) continue
      const isNamed = steps.some(({ to }) => to.includes(channel))
      for (const member of incident.members) {
        const known = world.plan.checks.get(member.checkId ?? '')
        if (known?.muted || (incident.condition !== 'location' && isInhibited(world, member.checkId ?? ''))) continue
        const believes = notified?.open.includes(member.subject) ?? false
        if (member.closedAt !== null) expect([channel, member.name, believes]).toEqual([channel, member.name, false])
        else if (isNamed && !isInStorm(world, member.checkId ?? ''))
          expect([channel, member.name, believes]).toEqual([channel, member.name, true])
      }
    }
  }
  const waiting = [...world.state.inFlight.values()].flatMap((byChannel) => [...byChannel.values()])
  expect(waiting.filter(({ channel, message }) => world.plan.channels.has(channel) && !world.state.held.has(message.id))).toEqual([])
}

/** Whether only the message about the location reports the check. */
function isInStorm({ tracker, state }: AlertWorld, id: string): boolean {
  const down = tracker.check(id)?.downLocations ?? []
  return down.length > 0 && down.every((name) => state.storms.has(name))
}

const isInhibited = (world: AlertWorld, id: string) =>
  (world.plan.ancestors.get(id) ?? []).some((each) => (world.tracker.check(each)?.downLocations.length ?? 0) > 0)

/** Each channel received openings and endings of a subject in turn, whether or not its answers were seen. */
function tellsInOrder({ received, givenUp }: AlertWorld): void {
  const believed = new Set<string>()
  const seen = new Set<string>()
  for (const { channel, delivery } of received) {
    const { message, missed = [], notifiedAfter } = delivery
    const isRepeat = seen.has(message.id)
    seen.add(message.id)
    for (const { name, until, isNew } of message.subjects) {
      const key = [channel, message.rule, message.condition, name].join(' ')
      const subject = name.replace(/^Agent (.+) of (.+)$/, 'agent $2 $1')
      const isOpen = notifiedAfter.open.includes(subject)
      const knows = believed.has(key)
      if (message.event === 'open' || message.event === 'update' || message.event === 'close') {
        if (!isRepeat && isOpen && isNew && until === null && !givenUp.has(key))
          expect([key, 'opens', knows]).toEqual([key, 'opens', false])
        if (!isRepeat && !isOpen && !missed.includes(subject) && !givenUp.has(key))
          expect([key, 'ends', knows]).toEqual([key, 'ends', true])
      }
      if (isOpen) believed.add(key)
      else believed.delete(key)
    }
  }
}
