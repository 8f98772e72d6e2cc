import type { Check } from './answers.ts'
import { type Resource, useDefinitions } from './use-resource.ts'

export function useCheck(id: string): Resource<Check> {
  return useDefinitions(`check ${id}`, async (api, signal) => {
    const { data } = await api.request<WholeCheck>({ path: `/v1/checks/${encodeURIComponent(id)}` }, signal)
    return listed(data)
  })
}

/** A managed check comes with its whole definition, in which locations of agents are apart. */
type WholeCheck = Omit<Check, 'request'> & {
  readonly request?: Readonly<Record<string, unknown>>
  readonly privateLocations?: readonly string[]
}

const targetFields = ['url', 'method', 'hostname', 'port', 'query', 'recordType', 'script', 'directory', 'project']

/** The same as a list has it. */
function listed({ privateLocations = [], ...check }: WholeCheck): Check {
  const target = Object.entries(check.request ?? {}).filter(([name, value]) => targetFields.includes(name) && value !== null)
  return {
    ...check,
    locations: [...check.locations, ...privateLocations],
    request: Object.fromEntries(
      target.flatMap(([name, value]) => (typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [])),
    ),
  }
}
