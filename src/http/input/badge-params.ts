import { quickRanges } from '../../analytics/resolve-window.ts'
import { badgeThemes, styles } from '../../badges/themes.ts'
import { booleanParam, decimalParam, oneOf, type Parsed, possiblyEmptyText, text, timezone } from './params.ts'

export const lookParams = {
  style: oneOf({ description: 'The shape of the badge.', choices: styles, otherwise: 'flat' }),
  theme: oneOf({
    description: "The colours of the badge; the default ones follow the reader's dark mode.",
    choices: badgeThemes,
    otherwise: 'default',
  }),
  label: possiblyEmptyText({ description: 'The text on the left instead of the name.', maxLength: 10_000 }),
}

export const accountParams = {
  account: text({ description: 'Without a key: the account, if several with public badges have the same id or tag.' }),
}

export const checkParams = {
  ...lookParams,
  responseTime: booleanParam({ description: 'Also show the mean response time of the last 24 hours.', otherwise: false }),
  metric: text({
    description:
      'Show this metric of the check type instead of the state, such as availability or responseTime_p95; slo for the attained value of an SLO.',
  }),
  slo: text({ description: 'With metric=slo: the id of an SLO that includes the check.' }),
  range: oneOf({ description: 'The window of that metric.', choices: quickRanges, otherwise: 'last24Hours' }),
  timezone: timezone(),
  warn: decimalParam({ description: 'Threshold at which the metric is coloured as degraded.' }),
  bad: decimalParam({ description: 'Threshold at which the metric is coloured as failing.' }),
}
export type CheckParams = Parsed<typeof checkParams>
