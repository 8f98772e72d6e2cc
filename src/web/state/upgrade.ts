import { isRecent, minuteMs } from '../../time.ts'
import { basePath } from './base-path.ts'

const reloadedKey = 'tidemark-reloaded'

/** Whether the server now serves a different version of this page. */
export async function isUpgraded(): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.getAttribute('src')
  const page = await servedPage()
  return page !== null && script !== null && script !== undefined && !page.includes(script)
}

/** Reloads a page whose code cannot be loaded. Returns false if it was reloaded within the last minute. */
export function reloadOnce(): boolean {
  if (isRecent(Number(sessionStorage.getItem(reloadedKey)), minuteMs, Date.now())) return false
  sessionStorage.setItem(reloadedKey, String(Date.now()))
  location.reload()
  return true
}

/** The HTML of the page as currently served; null if the server does not respond. */
export async function servedPage(): Promise<string | null> {
  return fetch(`${basePath()}/`, { cache: 'no-store', credentials: 'omit' }).then(
    (response) => (response.ok ? response.text() : null),
    () => null,
  )
}
