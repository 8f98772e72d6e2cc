import { useEffect, useRef, useState } from 'preact/hooks'
import { isUpgraded } from '../state/upgrade.ts'
import { clockText } from './time.tsx'

type ConnectionBarProps = { readonly lostAt: number | null; onRetry(): void }

/** Says that the server does not answer, since when, and of when all is that is shown; and after an upgrade of the server, that this page is old. */
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
      <span>Tidemark was upgraded; this page is of the version before.</span>
      <button type="button" class="quiet-button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  )
}

/** Whether the server has another page, asked when it answers again, and when a tab is shown again, which may have slept through an upgrade. */
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
