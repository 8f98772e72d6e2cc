import { useEffect, useRef, useState } from 'preact/hooks'
import { isUpgraded } from '../state/upgrade.ts'
import { clockText } from './time.tsx'

type ConnectionBarProps = { readonly lostAt: number | null; onRetry(): void }

/**
 * Reports that the server does not respond, since when, and how old the shown data is. After an upgrade of the server, reports that this
 * page is outdated.
 */
export function ConnectionBar({ lostAt, onRetry }: ConnectionBarProps) {
  const upgraded = useUpgraded(lostAt === null)
  if (lostAt !== null) {
    const at = clockText(lostAt)
    return (
      <div class="connection" role="alert">
        <span>
          <b>Disconnected since {at}</b> · figures as of {at} · trying again
        </span>
        <button type="button" class="quiet-button" onClick={onRetry}>
          Try now
        </button>
      </div>
    )
  }
  if (!upgraded) return null
  return (
    <div class="connection" role="status">
      <span>Tidemark was upgraded; this page is still the previous version.</span>
      <button type="button" class="quiet-button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  )
}

/** Whether the server serves a different page. Checked after each reconnect, and when the tab is shown again: it may have slept through an upgrade. */
function useUpgraded(isConnected: boolean): boolean {
  const [upgraded, setUpgraded] = useState(false)
  const wasLost = useRef(false)
  const ask = () => void isUpgraded().then((isIt) => setUpgraded((was) => was || isIt))
  useEffect(() => {
    if (isConnected && wasLost.current) ask()
    wasLost.current = !isConnected
  }, [isConnected])
  useEffect(() => {
    const onShown = () => document.visibilityState === 'visible' && ask()
    document.addEventListener('visibilitychange', onShown)
    return () => document.removeEventListener('visibilitychange', onShown)
  }, [])
  return upgraded
}
