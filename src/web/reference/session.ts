import type { Credentials } from '../api/client.ts'
import { clearCredentials, joinCredentials, loadCredentials } from '../state/credentials.ts'
import { connectTabs } from '../state/tabs.ts'

/** Shows the session of this tab, or of another one of the browser, as it begins and ends. */
export function followSession(show: (credentials: Credentials | null) => void): void {
  let current = loadCredentials()
  const change = (credentials: Credentials | null) => {
    current = credentials
    show(credentials)
  }
  const tabs = connectTabs({
    current: () => current,
    onSession(credentials) {
      joinCredentials(credentials)
      change(credentials)
    },
    onEnd() {
      clearCredentials()
      change(null)
    },
  })
  show(current)
  if (current === null) tabs.ask()
}
