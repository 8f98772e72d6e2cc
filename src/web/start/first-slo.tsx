import { useSession } from '../api/use-resource.ts'
import { Copyable } from '../share/copyable.tsx'

/** Instructions for an account without SLOs. */
export function FirstSlo() {
  const { account } = useSession().api.credentials
  return (
    <section class="start">
      <p>This account has no SLOs yet. Add one to the account in the config file: it appears here as soon as the file is saved.</p>
      <Copyable label="For the config file" text={sloText(account)} />
      <p class="note">
        An SLO without <code>checks</code> and <code>tags</code> is for all checks. docs/operations.md of the installation has all settings.
      </p>
    </section>
  )
}

function sloText(account: string): string {
  return `accounts:
  - id: ${account}   # keep what it has
    slos:
      - id: available
        name: It works
        objective: { kind: availability, by: runs, target: 99.9 }
        window: 30d
`
}
