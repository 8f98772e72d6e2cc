import type { Check } from '../../catalogue/catalogue.ts'
import { currentMaintenance } from '../../catalogue/policies/current-maintenance.ts'
import { selects } from '../../catalogue/policies/policies.ts'
import type { DecideInput } from './input.ts'

/** Why nothing is told of a subject now, and until when; null where only somebody can end it. */
export type Quiet = { readonly code: 'muted' | 'maintenance' | 'silence'; readonly text: string; readonly until: number | null }

type QuietInput = Pick<DecideInput, 'now' | 'plan' | 'silences'>
type QuietCheck = Pick<Check, 'id' | 'tags' | 'muted'>

/** Why a check is quiet; null where it is not. A subject that is no check, null here, is quiet by silences of everything alone. */
export function quietOf({ now, plan: { policies }, silences }: QuietInput, check: QuietCheck | null): Quiet | null {
  if (check?.muted) return { code: 'muted', text: 'it is muted', until: null }
  const maintenance = check && currentMaintenance(policies, now)(check)
  if (maintenance) return { code: 'maintenance', text: `of the maintenance "${maintenance.name}"`, until: maintenance.until }
  const silence = silences.find((each) => each.from <= now && now < each.to && silencesIt(each, check))
  if (!silence) return null
  const comment = silence.comment === '' ? '' : `: ${silence.comment}`
  return { code: 'silence', text: `of a silence by ${silence.by}${comment}`, until: silence.to }
}

function silencesIt(silence: DecideInput['silences'][number], check: QuietCheck | null): boolean {
  return check === null ? silence.checks.length === 0 && silence.tags.length === 0 : selects(silence, check)
}
