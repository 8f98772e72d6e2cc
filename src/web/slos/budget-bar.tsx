import type { Slo } from '../api/answers.ts'
import { budgetLeftText, budgetText, markOf, shareLeft } from './slo-figures.ts'

export function BudgetBar({ slo }: { readonly slo: Slo }) {
  const share = shareLeft(slo)
  const words = share === null ? 'There is no budget yet' : `${budgetLeftText(slo)}, of ${budgetText(slo.budget.total, slo.budget)}`
  return (
    <span class={`budget-bar budget-${markOf(slo).state}`} role="img" aria-label={words} title={words}>
      <span style={{ width: `${(share ?? 0) * 100}%` }} />
    </span>
  )
}
