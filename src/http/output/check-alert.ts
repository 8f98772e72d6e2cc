import type { AlertCondition, MessageSubject } from '../../alerts/channels/message.ts'
import type { DeliveryRecord, MemberChange } from '../../alerts/outbox/alert-records.ts'
import { uuidOf } from '../../ids/uuid.ts'
import { isoText } from '../../time.ts'

/** Alerts in the format of existing clients. */
export const alertTypes = ['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_DEGRADED', 'ALERT_DEGRADED_RECOVERY', 'ALERT_SSL'] as const
export const notificationStatuses = ['IN_PROGRESS', 'SUCCESS', 'FAILURE', 'RATE_LIMITED'] as const

type TypeOf = (checkId: string) => string | null

/** A check that joined or left an incident. */
export function checkAlertEntry({ incident, condition, member, kind, at }: MemberChange, typeOf: TypeOf) {
  const { subject, checkId, name, reason, result } = member
  const isOpening = kind === 'opened'
  return {
    id: checkAlertId(incident, subject, isOpening),
    name,
    checkId: checkId ?? '',
    alertType: alertTypeOf(condition, isOpening),
    checkType: typeOf(checkId ?? ''),
    runLocation: result?.runLocation ?? null,
    responseTime: result?.responseTimeMs ?? null,
    error: isOpening ? reason : null,
    statusCode: result?.statusCode === undefined || result.statusCode === null ? null : String(result.statusCode),
    created_at: isoText(at),
    startedAt: result ? isoText(result.startedAt) : null,
  }
}

function alertTypeOf(condition: AlertCondition, isOpening: boolean): (typeof alertTypes)[number] {
  if (condition === 'degraded') return isOpening ? 'ALERT_DEGRADED' : 'ALERT_DEGRADED_RECOVERY'
  if (!isOpening) return 'ALERT_RECOVERY'
  return condition === 'certificate' ? 'ALERT_SSL' : 'ALERT_FAILURE'
}

const checkAlertId = (incident: string, subject: string, isOpening: boolean) => uuidOf([incident, subject, isOpening ? 'opened' : 'closed'])

type ChannelFields = { readonly type: string; readonly alertConfig: object; readonly alertChannelId: number }

/** A message to a channel. If it is about several checks, the first one is named. */
export function notificationEntry(record: DeliveryRecord, channel: ChannelFields) {
  const { delivery, answer } = record
  const { message } = delivery
  const subject = message.subjects.find(({ check }) => check !== null)
  return {
    id: message.id,
    type: channel.type,
    status: statusOf(record),
    alertConfig: channel.alertConfig,
    notificationResult: answer,
    timestamp: isoText(record.lastAt ?? delivery.decidedAt),
    checkType: subject?.check?.type ?? null,
    checkId: subject?.check?.id ?? null,
    checkAlertId: subject ? notifiedAlertId(record, subject) : null,
    alertChannelId: channel.alertChannelId,
    checkResultId: subject?.result?.id ?? null,
  }
}

/** The subject of a certificate alert is the id of the check followed by the reached threshold in days. */
function notifiedAlertId(
  { delivery: { incident, message, notifiedAfter } }: DeliveryRecord,
  { check, until }: MessageSubject,
): string | null {
  const id = check?.id ?? ''
  const subject = message.condition === 'certificate' ? notifiedAfter.open.find((open) => open.startsWith(`${id} `)) : id
  return subject === undefined ? null : checkAlertId(incident, subject, until === null)
}

function statusOf({ state, attempts, answer }: DeliveryRecord): (typeof notificationStatuses)[number] {
  if (state === 'delivered') return 'SUCCESS'
  if (state === 'waiting' && attempts === 0) return 'IN_PROGRESS'
  return /^429\b/.test(answer ?? '') ? 'RATE_LIMITED' : 'FAILURE'
}
