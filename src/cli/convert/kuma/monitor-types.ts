import { asEchoCheck, asJobCheck, asNameCheck, asPageCheck, asPortCheck } from '../../../checks/converted.ts'
import type { Assertion } from '../../../checks/probe/settings.ts'
import { isMapping } from '../../../collections/mapping.ts'
import { sha256 } from '../../../ids/sha256.ts'
import { parsedJson } from '../../../text/parsed-json.ts'
import { configDuration } from '../durations.ts'
import { type InputFields, plainText } from '../fields.ts'
import { addressText, literalText } from '../written-text.ts'
import { httpMonitor } from './http-monitor.ts'
import { ipFamily, type MonitorInput, type MonitorOutcome } from './monitor-input.ts'

const upsideDown: MonitorOutcome = { leftOut: 'Upside down mode is not supported: this check type has no shouldFail.' }

/** Converters by the type's name in Uptime Kuma. */
export const monitorTypes: Readonly<Record<string, (input: MonitorInput) => MonitorOutcome>> = {
  http: httpMonitor,
  keyword: httpMonitor,
  'json-query': httpMonitor,
  port: ({ fields, isUpsideDown }) => ({
    check: asPortCheck({ hostname: literalText(fields.text('hostname')), port: fields.number('port') ?? 0 }, { shouldFail: isUpsideDown }),
  }),
  ping: pingMonitor,
  dns: dnsMonitor,
  push: pushMonitor,
  'real-browser': browserMonitor,
}

const maxPings = 50

function pingMonitor({ fields, isUpsideDown, item, draft }: MonitorInput): MonitorOutcome {
  if (isUpsideDown) return upsideDown
  fields.skip('ping_numeric')
  const count = fields.number('ping_count') ?? 1
  if (count > maxPings) draft.changed(item, 'ping_count', `It had ${count}; the maximum is ${maxPings}.`)
  const family = ipFamily(fields)
  const pingCount = Math.min(maxPings, Math.max(1, Math.round(count)))
  return { check: asEchoCheck({ hostname: literalText(fields.text('hostname')), pingCount, ...(family && { ipFamily: family }) }) }
}

const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA']

function dnsMonitor({ fields, isUpsideDown, item, draft }: MonitorInput): MonitorOutcome {
  if (isUpsideDown) return upsideDown
  const recordType = fields.text('dns_resolve_type') || 'A'
  if (!recordTypes.includes(recordType)) return { leftOut: `DNS checks do not support ${recordType} records.` }
  const [server = '', ...others] = fields
    .text('dns_resolve_server')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  if (others.length > 0) draft.lost(item, 'dns_resolve_server', 'A check uses one name server: the first is kept.')
  const port = fields.number('port')
  return {
    check: asNameCheck({
      query: literalText(fields.text('hostname')),
      recordType,
      ...(server !== '' && { nameServer: literalText(server) }),
      ...(port !== null && port !== 53 && { port }),
      // Kuma's resolver fails if there is no record.
      assertions: [{ source: 'answer', comparison: 'notNull' }, ...recordConditions({ fields, item, draft })],
    }),
  }
}

/** Kuma's conditions pass if a single record meets all of them. */
function recordConditions({ fields, item, draft }: Pick<MonitorInput, 'fields' | 'item' | 'draft'>): readonly Assertion[] {
  const given = parsedJson(fields.text('conditions') || '[]')
  const conditions = Array.isArray(given) ? given.filter(isMapping) : []
  const [only] = conditions
  if (!only) return []
  const report = (outcome: 'changed' | 'lost', why: string) => draft.report({ item, field: 'conditions', outcome, why })
  const target = plainText(only.value)
  const isKnown = conditions.length === 1 && only.type === 'expression' && only.variable === 'record' && target !== ''
  if (isKnown && only.operator === 'contains') return [{ source: 'answer', comparison: 'contains', target: literalText(target) }]
  if (isKnown && only.operator === 'equals') {
    report('changed', 'A record must equal this; here the response must contain it.')
    return [{ source: 'answer', comparison: 'contains', target: literalText(target) }]
  }
  report('lost', 'Only one condition is converted: that a record equals or contains a text.')
  return []
}

/** Kuma waits one more retry interval for each retry, so the grace period is their sum. */
function pushMonitor({ fields, isUpsideDown, item, draft }: MonitorInput): MonitorOutcome {
  const token = fields.text('push_token')
  if (isUpsideDown) return upsideDown
  if (token === '') return { leftOut: 'It has no token.' }
  const intervalS = Math.max(1, fields.number('interval') ?? 60)
  const retries = fields.number('maxretries') ?? 0
  const graceS = Math.max(1, retries * (fields.number('retry_interval') || intervalS))
  fields.skip('timeout', 'ip_family')
  if (retries > 0) draft.changed(item, 'maxretries', `A late ping is not retried: it has ${graceS} s of grace instead.`)
  const heartbeat = { period: configDuration(intervalS * 1000), grace: configDuration(graceS * 1000), token: sha256(token) }
  return { check: asJobCheck(heartbeat), isPinged: true }
}

function browserMonitor({ fields, isUpsideDown, item, draft }: MonitorInput): MonitorOutcome {
  if (isUpsideDown) return upsideDown
  return { check: asPageCheck(addressText(fields.text('url'), (name, value) => draft.secret(`${item} ${name}`, value))) }
}

/** Suggests a TCP check, which would at least detect that the service is down. */
export function unsupportedType(type: string, fields: InputFields): MonitorOutcome {
  const [host, port] = [fields.text('hostname'), fields.number('port')]
  const instead = host !== '' && port !== null ? ` A TCP check of ${host}:${port} would notice that nothing listens there.` : ''
  return { leftOut: `No check corresponds to the type ${type || 'without a name'}.${instead}` }
}
