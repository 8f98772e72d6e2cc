import { expect, test } from 'vitest'
import { alertTable, explanationText, type ListedAlert, type ListedSilence, silenceTable } from './alert-format.ts'

const opened = { id: '3f0c8f54-1111', severity: 'critical', title: 'Shop is failing', openedAt: '2026-11-14T10:00:00.123Z' }
const alert = (more: object) =>
  ({ ...opened, closedAt: null, acknowledged: null, channels: [], messages: [], ...more }) as unknown as ListedAlert

test('alerts are listed in a line each, with their state and the notified channels', () => {
  const message = (state: string, answer: string | null = null) => ({ channel: 'ops', state, answer })
  const channel = (name: string, firstAt: string | null) => ({ channel: name, firstAt })
  const alerts = [
    alert({}),
    alert({ acknowledged: { by: 'ann' }, channels: [channel('chat', '2026-11-14T10:00:01Z'), channel('mail', null)] }),
    alert({ closedAt: '2026-11-14T11:00:00.456Z', messages: [message('delivered'), message('waiting'), message('givenUp', '500 no')] }),
  ]
  expect(alertTable(alerts).split('\n')).toEqual([
    'id        state                        severity  opened                what             notified',
    '3f0c8f54  open                         critical  2026-11-14T10:00:00Z  Shop is failing  nobody',
    '3f0c8f54  acknowledged by ann          critical  2026-11-14T10:00:00Z  Shop is failing  chat',
    '3f0c8f54  closed 2026-11-14T11:00:00Z  critical  2026-11-14T10:00:00Z  Shop is failing  ops (not yet), ops (given up: 500 no)',
    '',
  ])
  expect(alertTable([])).toBe('No alerts in this period.\n')
})

test('silences list what they select', () => {
  const times = { from: '2026-11-14T10:00:00.000Z', to: '2026-11-14T12:00:00.000Z', by: 'ann', comment: 'It moves.' }
  const silence = (checks: readonly string[], tags: readonly string[]) =>
    ({ id: 'c2a0f1c4-2222', checks, tags, ...times }) as unknown as ListedSilence
  expect(silenceTable([silence([], []), silence(['a', 'b'], ['x', 'y']), silence([], ['x'])]).split('\n')).toEqual([
    'id        checks                 from                  to                    by   comment',
    'c2a0f1c4  all                    2026-11-14T10:00:00Z  2026-11-14T12:00:00Z  ann  It moves.',
    'c2a0f1c4  a, b if tagged x or y  2026-11-14T10:00:00Z  2026-11-14T12:00:00Z  ann  It moves.',
    'c2a0f1c4  tagged x               2026-11-14T10:00:00Z  2026-11-14T12:00:00Z  ann  It moves.',
    '',
  ])
})

test('an explanation lists reasons below each rule', () => {
  const reason = (text: string) => ({ text })
  const rules = [{ rule: 'all', reasons: [reason('It is failing: \u001b[31mno.'), reason('It is muted.')] }]
  expect(explanationText({ name: 'Shop', rules } as never)).toBe('all\n  It is failing:  [31mno.\n  It is muted.\n')
  expect(explanationText({ name: 'Shop', rules: [] } as never)).toBe(
    'Shop: the account has no alert rules. Add them under alerts: in the config file.\n',
  )
})
