import { useMemo } from 'preact/hooks'
import type { Check, Slo, State } from '../api/answers.ts'
import { type Resource, settled, useResource } from '../api/use-resource.ts'
import { Chart } from '../chart/chart.tsx'
import { useChecks, useStatuses } from '../checks/use-checks.ts'
import { type Route, RouteLink } from '../state/route.tsx'
import { figure, plural } from '../view/figures.ts'
import { useFirst } from '../view/long-list.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { StateMark, stateOf, states } from '../view/state.tsx'
import { spanText, Time } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'
import { BudgetBar } from './budget-bar.tsx'
import { budgetText, burnDown, burnText, markOf, objectiveText } from './slo-figures.ts'
import { WhatIf } from './what-if.tsx'

const burnPeriods = ['1h', '6h', '24h', '3d'] as const

export function SloView({ id, route }: { readonly id: string; readonly route: Route }) {
  const slo = useSlo(id, route)
  useTitle(slo.data?.name ?? id)
  if (slo.data === undefined) {
    if (slo.problem === undefined) return <Skeleton lines={6} height={72} />
    return (
      <ProblemNotice whole of={slo}>
        <RouteLink href="/slos">All SLOs of this account</RouteLink>
      </ProblemNotice>
    )
  }
  return <SloDetails slo={slo.data} route={route} of={slo} />
}

/** The page's URL has the same parameters as the API. */
function useSlo(id: string, { query }: Route): Resource<Slo> {
  const path = `/v1/slos/${id}${query.size > 0 ? `?${query}` : ''}`
  return useResource(`slo ${path}`, async (api, signal) => (await api.request<Slo>({ path }, signal)).data)
}

type DetailsProps = { slo: Slo; route: Route; of: Resource<Slo> }

function SloDetails({ slo, route, of }: DetailsProps) {
  const { state, word } = markOf(slo)
  return (
    <>
      <div class="view-head">
        <nav aria-label="Up">
          <RouteLink href="/slos">SLOs</RouteLink>
        </nav>
        <h1>{slo.name}</h1>
        <StateMark state={state} word={word} />
        <span class="note">{objectiveText(slo)}</span>
      </div>
      <ProblemNotice of={of} />
      <WhatIf slo={slo} route={route} />
      <Figures slo={slo} loading={of.loading} />
      <BurnDown slo={slo} loading={of.loading} />
      <SloChecks slo={slo} />
    </>
  )
}

function Figures({ slo, loading }: { slo: Slo; loading: boolean }) {
  const { attained, objective, budget, burnRate, exhaustedAt, from, to } = slo
  return (
    <section class={`tiles slo-tiles ${loading ? 'loading' : ''}`} aria-label="The whole window" aria-busy={loading}>
      <dl>
        <Tile label="Attained" value={figure(attained, 'percentage')} bad={slo.met === false} />
        <Tile label="Target" value={`${objective.target} %`} />
        <BudgetTile budget={budget} />
        {burnPeriods.map((period) => (
          <Tile key={period} label={`Burn rate ${period}`} value={burnText(burnRate[period])} bad={(burnRate[period] ?? 0) > 1} />
        ))}
        <div class="tile">
          <dt>Exhausted at the 24 h rate</dt>
          <dd>{exhaustedAt === null ? 'never' : <Time at={Date.parse(exhaustedAt)} zone />}</dd>
        </div>
      </dl>
      <BudgetBar slo={slo} />
      <span class="note">{spanText(Date.parse(from), Date.parse(to))}</span>
    </section>
  )
}

function BudgetTile({ budget }: Pick<Slo, 'budget'>) {
  const total = budgetText(budget.total, budget)
  if (budget.left >= 0) return <Tile label={`Budget left of ${total}`} value={budgetText(budget.left, budget)} />
  return <Tile label={`Over the budget of ${total} by`} value={budgetText(Math.ceil(-budget.left), budget)} bad />
}

function Tile({ label, value, bad = false }: { label: string; value: string; bad?: boolean }) {
  return (
    <div class={bad ? 'tile tile-failed' : 'tile'}>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function BurnDown({ slo, loading }: { slo: Slo; loading: boolean }) {
  const drawing = useMemo(() => burnDown(slo), [slo])
  return (
    <section class={`panel ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="burn-down">
      <header>
        <h2>Burn-down</h2>
        <span class="note">budget left at the end of each day</span>
      </header>
      {slo.attained === null ? <Notice title="No data in this window yet." /> : <Chart title="Burn-down" drawing={drawing} height={260} />}
    </section>
  )
}

/** The checks of the SLO by name, the worst first. */
function SloChecks({ slo: { checks: ids } }: { slo: Slo }) {
  const checks = useChecks()
  const statuses = useStatuses()
  const byState = useMemo(() => namedChecks(ids, checks.data, statuses.data), [ids, checks.data, statuses.data])
  const { shown, rest } = useFirst(byState)
  return (
    <section class="panel" data-panel="checks" aria-busy={!settled(checks) || !settled(statuses)}>
      <header>
        <h2>Checks</h2>
        <span class="note">{plural(ids.length, 'check')}</span>
      </header>
      {ids.length === 0 ? (
        <Notice title="No check matches this SLO yet." />
      ) : (
        <>
          <ul class="slo-checks">
            {shown.map(({ id, name, state }) => (
              <li key={id}>
                {state !== null && <StateMark state={state} words={false} />} <RouteLink href={`/checks/${id}`}>{name}</RouteLink>
              </li>
            ))}
          </ul>
          {rest}
        </>
      )}
    </section>
  )
}

type Statuses = ReturnType<typeof useStatuses>['data']

function namedChecks(ids: readonly string[], checks: readonly Check[] = [], statuses: Statuses) {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const named = ids.map((id) => {
    const check = byId.get(id)
    return { id, name: check?.name ?? id, state: check && statuses ? stateOf(check, statuses.get(id)) : null }
  })
  return named.toSorted((a, b) => orderOf(a.state) - orderOf(b.state))
}

const orderOf = (state: State | null) => (state === null ? 0 : states.indexOf(state))
