import { minuteMs } from '../../time.ts'
import type { AlertCondition, AlertEvent, AlertMessage, MessageSubject } from './message.ts'

type ExampleOptions = {
  readonly id: string
  readonly now: number
  readonly account?: AlertMessage['account']
  readonly condition?: AlertCondition
}

/** A realistic message for an event: for `tidemark alert test`, and to show what a channel receives. */
export function exampleMessage(event: AlertEvent, options: ExampleOptions): AlertMessage {
  const { id, now, account = { id: 'main', name: 'Main' }, condition = 'failing' } = options
  const isOver = event === 'close' || event === 'missed' || event === 'settled'
  const openedAt = now - 12 * minuteMs
  const hasSubjects = event !== 'test' && event !== 'channelBroken'
  return {
    id,
    event,
    condition,
    severity: event === 'test' ? 'info' : 'critical',
    account,
    rule: event === 'test' ? 'test' : 'shop-down',
    incident: { id: `example-${id}`, openedAt, closedAt: isOver ? now : null },
    title: titles[event],
    subjects: hasSubjects ? [subjectOf(openedAt, isOver ? now : null, condition)] : [],
    subjectCount: hasSubjects ? 1 : 0,
    reminder: event === 'reminder' ? 1 : null,
    decidedAt: now,
    links: { incident: null, acknowledge: null },
  }
}

const titles: Readonly<Record<AlertEvent, string>> = {
  open: 'Shop is failing',
  update: 'Shop is failing',
  reminder: 'Shop is still failing',
  close: 'Shop has recovered',
  missed: 'Shop was failing',
  flapping: 'Shop is flapping',
  settled: 'Shop has settled: up',
  test: 'Test message of Tidemark',
  channelBroken: 'The channel ops-chat does not work: 404 no_service',
}

function subjectOf(since: number, until: number | null, condition: AlertCondition): MessageSubject {
  return {
    name: 'Shop',
    check: { id: 'shop', type: '', tags: ['shop', 'team:web'] },
    isNew: until === null,
    since,
    until,
    reason: 'the status code is 503, not 200',
    locations: { down: ['eu-central', 'us-east'], known: 3 },
    result: { id: 'example', startedAt: since, runLocation: 'eu-central', responseTimeMs: 182, statusCode: 503 },
    certificateDays: condition === 'certificate' ? 7 : null,
    dependents: [],
    links: { check: null, run: null },
  }
}
