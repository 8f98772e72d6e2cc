import { useAlertRules } from '../alerts/use-alerts.ts'
import type { LocationEntry } from '../api/answers.ts'
import { useDefinitions } from '../api/use-resource.ts'

type Known = {
  /** What lists of a check can have in them, by the names of their fields; empty until it is known. */
  readonly suggestions: Readonly<Record<string, readonly string[]>>
  /** Where agents run checks. */
  readonly agentLocations: readonly string[]
}

export function useSuggestions(): Known {
  const { data: places = [] } = useDefinitions(
    'locations',
    async (api, signal) => (await api.request<LocationEntry[]>({ path: '/v1/locations' }, signal)).data,
  )
  const { data: rules = [] } = useAlertRules()
  return {
    suggestions: { locations: places.map(({ location }) => location), alerts: rules.map(({ id }) => id) },
    agentLocations: places.filter(({ runBy }) => runBy === 'agents').map(({ location }) => location),
  }
}
