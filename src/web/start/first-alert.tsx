import { useSession } from '../api/use-resource.ts'
import { Copyable } from '../share/copyable.tsx'

/** Instructions for an account without alert rules. */
export function FirstAlert() {
  const { account } = useSession().api.credentials
  return (
    <section class="start">
      <p>
        Nobody is notified when a check fails: this account has no alert rules. Add a channel and a rule to the account in the config file.
      </p>
      <Copyable label="For the config file" text={alertText(account)} />
      <p class="note">
        The channel then gets one message when a check fails and one when it recovers. docs/alerts.md of the installation has all types of
        channels and settings of rules. <code>tidemark validate</code> lists errors with line numbers.
      </p>
    </section>
  )
}

function alertText(account: string): string {
  return `accounts:
  - id: ${account}   # keep what it has
    channels:
      - { id: ops, type: slack, url: "\${SLACK_URL}" }
    alerts:
      - { id: all, to: [ops] }
`
}
