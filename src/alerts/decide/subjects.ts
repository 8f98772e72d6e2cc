import type { Check } from '../../catalogue/catalogue.ts'
import type { AlertRule } from '../../catalogue/policies/policies.ts'
import type { AlertCondition } from '../channels/message.ts'
import type { CheckFacts, FailedResult } from '../facts/check-facts.ts'
import { type Reading, readBurn, readCertificate, readDegraded, readFailing } from './condition.ts'
import type { DecideInput } from './input.ts'
import type { Subject } from './members.ts'

export type SubjectFinding = { readonly subject: Subject; readonly reading: Reading }

/** Findings of a rule about a check; none for rules that are not about single checks. */
export function findingsOf(rule: AlertRule, check: Check, facts: CheckFacts, now: number): readonly SubjectFinding[] {
  switch (rule.when.kind) {
    case 'failing':
      return [{ subject: checkSubject(rule, check, facts, facts.newestFailing), reading: readFailing(facts, rule) }]
    case 'degraded':
      return [{ subject: checkSubject(rule, check, facts, facts.newestDegraded), reading: readDegraded(facts, rule) }]
    case 'certificate':
      return rule.when.days.map((days) => ({
        subject: certificateSubject(rule, check, facts, days),
        reading: readCertificate(facts, days, now),
      }))
    default:
      return []
  }
}

function checkSubject(rule: AlertRule, check: Check, facts: CheckFacts, newest: FailedResult | null): Subject {
  return {
    condition: rule.when.kind,
    subject: check.id,
    checkId: check.id,
    name: check.name,
    key: keyOf(rule, check, facts),
    reason: newest?.error ?? null,
    usualReason: rule.when.kind === 'failing' ? facts.usualReason : null,
    locations: locationsOf(rule.when.kind, facts),
    result: newest && withoutError(newest),
    certificateDays: null,
  }
}

function withoutError({ error: _, ...result }: FailedResult): Omit<FailedResult, 'error'> {
  return result
}

/** The subjects about a check that a rule can have. */
export function subjectsOf({ when }: AlertRule, { id }: Pick<Check, 'id'>): readonly string[] {
  return when.kind === 'certificate' ? when.days.map((days) => certificateKey(id, days)) : [id]
}

const certificateKey = (checkId: string, days: number) => `${checkId} ${days}`

function certificateSubject(rule: AlertRule, check: Check, facts: CheckFacts, days: number): Subject {
  const subject = checkSubject(rule, check, facts, null)
  return { ...subject, subject: certificateKey(check.id, days), locations: null, certificateDays: facts.certificateDays }
}

function keyOf({ group, tags, when }: AlertRule, check: Check, facts: CheckFacts): string {
  if (group.by === 'none') return check.id
  return group.by === 'tag' ? tagOf(tags, check) : locationsOf(when.kind, facts).down.join(', ')
}

/** Locations where the condition holds now. */
export function locationsOf(condition: AlertCondition, { downLocations, affectedLocations, known }: CheckFacts) {
  return { down: condition === 'degraded' ? affectedLocations : downLocations, known }
}

/** The first tag of the rule that the check has, or else the first tag of the check. */
export function tagOf(tags: readonly string[], check: Pick<Check, 'tags'>): string {
  return tags.find((tag) => check.tags.includes(tag)) ?? check.tags[0] ?? ''
}

/** Fields of a subject other than a check. */
export const plainSubject = { checkId: null, reason: null, usualReason: null, locations: null, result: null, certificateDays: null }

/** Findings of a rule about the burn rate of SLOs. */
export function burnFindings(rule: AlertRule, { plan, burn, now }: DecideInput): readonly SubjectFinding[] {
  if (rule.when.kind !== 'sloBurn') return []
  const { pairs } = rule.when
  return (plan.slosOf.get(rule) ?? []).map((slo) => ({
    subject: { ...plainSubject, condition: 'sloBurn', subject: slo.id, name: slo.name, key: rule.group.by === 'none' ? slo.id : '' },
    reading: readBurn({ slo, pairs, burn, now }),
  }))
}
