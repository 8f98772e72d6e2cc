import type { FaultyCheck } from '../api/answers.ts'
import { everyPage } from '../api/every-page.ts'
import { type Resource, useDefinitions } from '../api/use-resource.ts'
import { RouteLink } from '../state/route.tsx'
import { plural } from '../view/figures.ts'
import { LongList } from '../view/long-list.tsx'

/** The faulty checks of the account. */
export function useFaultyChecks(): Resource<readonly FaultyCheck[]> {
  return useDefinitions('faulty-checks', (api, signal) => everyPage<FaultyCheck>(api, '/v1/faulty-checks', signal))
}

/** Checks that appear in no other list because they are not run. */
export function FaultyChecks({ checks }: { readonly checks: readonly FaultyCheck[] }) {
  if (checks.length === 0) return null
  return (
    <section class="panel" data-panel="faulty">
      <header>
        <h2>Not run</h2>
        <span class="note">{plural(checks.length, 'check')} whose definition is no longer valid</span>
      </header>
      <LongList items={checks}>
        {({ id, name, faults: [first] }) => (
          <li key={id}>
            <span class="alert-line-text">
              <b>
                <RouteLink href={`/checks/${id}`}>{name}</RouteLink>
              </b>{' '}
              <span class="note">{first?.message}</span>
            </span>
          </li>
        )}
      </LongList>
    </section>
  )
}
