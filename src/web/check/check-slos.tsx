import type { Slo } from '../api/answers.ts'
import { BudgetBar } from '../slos/budget-bar.tsx'
import { budgetLeftText, burnText, markOf, objectiveText } from '../slos/slo-figures.ts'
import { RouteLink } from '../state/route.tsx'
import { figure } from '../view/figures.ts'
import { Notice } from '../view/notice.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { StateMark } from '../view/state.tsx'
import { LazyPanel } from './lazy-panel.tsx'

const heads = ['SLO', 'State', 'Attained', 'Target', 'Budget', 'Burn rate 1h']
const numbers = ['Attained', 'Target', 'Burn rate 1h']

export function CheckSlos({ checkId }: { readonly checkId: string }) {
  return (
    <LazyPanel
      id="slos"
      title="SLOs"
      note="that include this check"
      height={72}
      source={`slos of ${checkId}`}
      load={async (api, signal) => (await api.request<Slo[]>({ path: `/v1/slos?checkId=${checkId}` }, signal)).data}
    >
      {(slos) => (slos.length === 0 ? <Notice title="No SLO includes this check." /> : <SlosTable slos={slos} />)}
    </LazyPanel>
  )
}

function SlosTable({ slos }: { slos: readonly Slo[] }) {
  return (
    <ScrollingTable label="SLOs" heads={heads} numbers={numbers}>
      {slos.map((slo) => {
        const { state, word } = markOf(slo)
        return (
          <tr key={slo.id}>
            <td>
              <RouteLink href={`/slos/${slo.id}`}>{slo.name}</RouteLink> <span class="note">{objectiveText(slo)}</span>
            </td>
            <td>
              <StateMark state={state} word={word} />
            </td>
            <td class="number">{figure(slo.attained, 'percentage')}</td>
            <td class="number">{slo.objective.target} %</td>
            <td class="slo-budget">
              <BudgetBar slo={slo} /> {slo.attained === null ? '–' : budgetLeftText(slo)}
            </td>
            <td class="number">{burnText(slo.burnRate['1h'])}</td>
          </tr>
        )
      })}
    </ScrollingTable>
  )
}
