import type { Check } from '../../catalogue/catalogue.ts'

type DemoAccess = { readonly url: string; readonly key: string; readonly account: string; readonly checks: readonly Check[] }

type Question = { readonly title: string; readonly check: Check; readonly parameters: string }

/** Five curl commands, one per kind of query, for checks with a duration. */
export function questionLines({ url, key, account, checks }: DemoAccess): readonly string[] {
  const headers = `-H "Authorization: Bearer ${key}" -H "X-Service-Account: ${account}"`
  return questions(checks.filter(({ checkType }) => checkType.duration !== null)).flatMap(({ title, check, parameters }) => [
    `# ${title}`,
    `curl -s -w "\\n" "${url}/v1/analytics/${check.checkType.path}/${check.id}?${parameters}" ${headers}`,
  ])
}

function questions(checks: readonly Check[]): readonly Question[] {
  const [first] = checks
  if (!first) return []
  const at = (index: number) => checks[index % checks.length] ?? first
  const metric = (check: Check) => check.checkType.duration
  const [a, b, c, d, e] = [at(0), at(1), at(2), at(3), at(4)]
  return [
    { title: `the exact p99 of ${a.name} over thirty days`, check: a, parameters: `quickRange=last30Days&metrics=${metric(a)}_p99` },
    {
      title: `${b.name} by location`,
      check: b,
      parameters: `quickRange=last7Days&metrics=${metric(b)}_p95,availability&groupBy=runLocation`,
    },
    {
      title: `${c.name} day by day`,
      check: c,
      parameters: `quickRange=last7Days&metrics=${metric(c)}_median,${metric(c)}_p95&aggregationInterval=1440`,
    },
    { title: `the latest runs of ${d.name}, one by one`, check: d, parameters: `metrics=${metric(d)}&limit=5` },
    {
      title: `availability and retries of ${e.name}`,
      check: e,
      parameters: 'quickRange=last30Days&metrics=availability,retries',
    },
  ]
}
