import type { Slo } from '../api/answers.ts'
import { budgetText, markOf, shareLeft } from './slo-figures.ts'

/** How much of the budget is left. */
export function BudgetBar({ slo }: { readonly slo: Slo }) {
  const share = shareLeft(slo)
  const words =
    share === null
      ? 'There is no budget yet'
      : `${budgetText(slo.budget.left, slo.budget)} of ${budgetText(slo.budget.total, slo.budget)} left`
  return (
    <span class={`budget-bar budget-${markOf(slo).state}`} role="img" aria-label={words} title={words}>
      <span style={{ width: `${(share ?? 0) * 100}%` }} />
    </span>
  )
}
