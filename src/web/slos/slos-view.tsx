import type { Slo } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { FirstSlo } from '../start/first-slo.tsx'
import { RouteLink } from '../state/route.tsx'
import { figure } from '../view/figures.ts'
import { ProblemNotice, Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { useTitle } from '../view/use-title.ts'
import { BudgetBar } from './budget-bar.tsx'
import { budgetLeftText, burnText, checksText, markOf, objectiveText } from './slo-figures.ts'

export function SlosView() {
  useTitle('SLOs')
  const slos = useResource('slos', async (api, signal) => (await api.request<Slo[]>({ path: '/v1/slos' }, signal)).data)
  const { data, problem } = slos
  if (data === undefined) return problem === undefined ? <Skeleton lines={6} height={72} /> : <ProblemNotice whole of={slos} />
  return (
    <>
      <div class="view-head">
        <h1>SLOs</h1>
      </div>
      <ProblemNotice of={slos} />
      {data.length === 0 ? (
        <FirstSlo />
      ) : (
        <ul class="slos">
          {data.map((slo) => (
            <Entry key={slo.id} slo={slo} />
          ))}
        </ul>
      )}
    </>
  )
}

function Entry({ slo }: { slo: Slo }) {
  const { state, word } = markOf(slo)
  return (
    <li class="slo">
      <h2>
        <RouteLink href={`/slos/${slo.id}`}>{slo.name}</RouteLink>
      </h2>
      <StateMark state={state} word={word} />
      <p class="note">
        {objectiveText(slo)} · {checksText(slo)}
      </p>
      <BudgetBar slo={slo} />
      <p class="slo-figures">
        <span>
          <b>{figure(slo.attained, 'percentage')}</b>, target {slo.objective.target} %
        </span>
        {slo.attained !== null && (
          <span class={slo.budget.left < 0 ? 'slo-over' : ''}>
            <b>{budgetLeftText(slo)}</b>
          </span>
        )}
        <span>
          burn rate <b>{burnText(slo.burnRate['1h'])}</b> in the last hour, <b>{burnText(slo.burnRate['24h'])}</b> in the last 24 h
        </span>
      </p>
    </li>
  )
}
