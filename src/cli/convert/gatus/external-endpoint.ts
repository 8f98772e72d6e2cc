import { asJobCheck } from '../../../checks/converted.ts'
import { sha256 } from '../../../ids/sha256.ts'
import { dayMs } from '../../../time.ts'
import { configDuration, parseDuration } from '../durations.ts'
import { fieldsOf, unreadLines } from '../fields.ts'
import type { GatusWorld } from './endpoint.ts'
import { addGatusMaintenance } from './maintenance.ts'

/** Converts an endpoint whose state a job reports. The job has to report to another address. */
export function oneExternalEndpoint(value: unknown, world: GatusWorld): void {
  const { draft, texts, tokens } = world
  const fields = fieldsOf(value, { enabled: true })
  const text = (name: string) => texts.resolve(fields.text(name))
  const [name, group, token] = [text('name') || 'unnamed', text('group'), text('token')]
  const item = group === '' ? name : `${group}/${name}`
  const intervalMs = parseDuration(texts.resolve(fields.inside('heartbeat').text('interval'))) || null
  if (token === '' || tokens.has(token)) {
    draft.leftOut(item, token === '' ? 'It has no token.' : 'Another one has the same token: pings would be ambiguous.')
    return
  }
  tokens.add(token)
  if (intervalMs === null) draft.changed(item, 'heartbeat.interval', 'It has none: here a ping is expected within 30 days.')
  const check = asJobCheck({ period: configDuration(intervalMs ?? 30 * dayMs), token: sha256(token) })
  const isEnabled = fields.take('enabled') !== false
  const id = draft.addCheck({
    item,
    name,
    group: group === '' ? null : draft.groupOf(group),
    settings: { ...check, ...(!isEnabled && { activated: false }) },
  })
  const [alerts, windows] = [fields.list('alerts'), fields.list('maintenance-windows')]
  if (id === null) return
  draft.changed(item, 'token', 'The token is kept. Its jobs have to call /ping/TOKEN, and /ping/TOKEN/fail on failure.')
  draft.setAlerts(id, world.alerts.rulesOf(alerts, { item, group }))
  for (const window of windows) addGatusMaintenance(`maintenance of ${item}`, window, world, [id])
  draft.report(...unreadLines(fields, item))
}
