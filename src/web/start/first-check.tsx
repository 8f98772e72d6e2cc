import { useState } from 'preact/hooks'
import type { CheckType } from '../api/answers.ts'
import { useSession } from '../api/use-resource.ts'
import { useMayWrite } from '../api/use-scope.ts'
import { Copyable } from '../share/copyable.tsx'
import { basePath } from '../state/base-path.ts'
import { RouteLink } from '../state/route.tsx'
import { Select } from '../view/fields.tsx'
import { configText, simplest } from './config-text.ts'

/** Instructions for an account without checks. */
export function FirstCheck({ types }: { readonly types: readonly CheckType[] }) {
  const { account } = useSession().api.credentials
  const mayWrite = useMayWrite()
  const [chosen, setChosen] = useState<string | null>(null)
  const offered = types.filter(({ files }) => files.length === 0)
  const checkType = offered.find((type) => type.checkType === chosen) ?? simplest(types)
  if (checkType === undefined) return null
  return (
    <section class="start" aria-labelledby="start">
      <h1 id="start">Add the first check</h1>
      <p>This account has no checks yet. Add one in three steps:</p>
      <ol>
        <li>
          <p>
            Add a check to the account in the config file of the server, <code>tidemark.yaml</code> unless <code>TIDEMARK_CONFIG</code>{' '}
            names another. Replace the address with yours.
          </p>
          <Select
            label="What to check"
            value={checkType.checkType}
            options={offered.map(({ checkType: value, label }) => ({ value, label }))}
            onChange={setChosen}
          />
          <Copyable label="For the config file" text={configText(account, checkType.example)} />
        </li>
        <li>
          <p>Save the file. The server reloads it within a second and logs errors. To list them with line numbers:</p>
          <Copyable label="In the folder of the config file" text="tidemark validate" />
        </li>
        <li>
          <p>Wait for the first run. The check appears here within a minute.</p>
        </li>
      </ol>
      {mayWrite && (
        <p>
          Or <RouteLink href="/new">create one from just an address</RouteLink> and test it first.
        </p>
      )}
      <p class="note">
        Every type and setting is in docs/check-types.md of the installation. Results of other systems can be sent to{' '}
        <a href={`${basePath()}/docs`}>the API</a>.
      </p>
    </section>
  )
}
