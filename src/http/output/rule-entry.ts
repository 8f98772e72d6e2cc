import type { AlertRule, Threshold } from '../../catalogue/policies/policies.ts'

/** `checkCount` is null if this process does not evaluate the rules. */
export function ruleEntry(rule: AlertRule, checkCount: number | null) {
  const { id, when, severity, checks, tags, subscription = null, after, recoverAfter, quorum, steps, remind, group } = rule
  return {
    id,
    when: when.kind,
    certificateDays: when.kind === 'certificate' ? when.days : [],
    slos: when.kind === 'sloBurn' ? when.slos : [],
    severity,
    checks,
    tags,
    subscription,
    checkCount,
    after: thresholdEntry(after),
    recoverAfter: thresholdEntry(recoverAfter),
    quorum,
    steps: steps.map(({ afterMs, to, during, outside }) => ({ afterSeconds: afterMs / 1000, to, during: during?.name ?? null, outside })),
    remind: remind && { everySeconds: remind.everyMs / 1000, times: remind.times },
    group: { by: group.by, waitSeconds: group.waitMs / 1000 },
  }
}

function thresholdEntry(threshold: Threshold) {
  return 'runs' in threshold ? { runs: threshold.runs, seconds: null } : { runs: null, seconds: threshold.timeMs / 1000 }
}
