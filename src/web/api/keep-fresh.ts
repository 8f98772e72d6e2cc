import { createParser } from 'eventsource-parser'

type Options = {
  /** Opens the stream of the results that are shown. */
  readonly open: (signal: AbortSignal) => Promise<Response>
  readonly refresh: () => void
}

/** News of the stream refresh the page at most this often. */
const newsMs = 5000
/** Without a stream the page is refreshed, and the stream tried again, this often. */
const minuteMs = 60_000
/** With a stream that has no news: a check without results becomes unknown, and rolling windows move on. */
const quietMs = 5 * minuteMs

/**
 * Refreshes the page after new results, or every minute where there is no stream, while the page is visible, and at once when it is shown
 * again. A hidden page has no stream: browsers open few connections to a server, and all tabs share them.
 */
export function keepFresh({ open, refresh }: Options): () => void {
  let stream: AbortController | null = null
  let isOpen = false
  let hasNews = false
  let wasOpen = false
  let triedAt = Number.NEGATIVE_INFINITY
  let refreshedAt = Date.now()

  const connect = () => {
    const own = new AbortController()
    stream = own
    triedAt = Date.now()
    const onEvent = (event: string | undefined) => {
      hasNews ||= event !== 'open' || wasOpen
      isOpen = wasOpen = true
    }
    readEvents(open(own.signal), onEvent)
      .catch(() => {})
      .then(() => {
        if (stream === own) disconnect()
      })
  }
  const disconnect = () => {
    stream?.abort()
    stream = null
    isOpen = false
  }
  const hide = () => {
    disconnect()
    triedAt = Number.NEGATIVE_INFINITY
    hasNews = true
  }
  const look = () => {
    if (document.visibilityState !== 'visible') return hide()
    if (stream === null && Date.now() - triedAt >= minuteMs) connect()
    if (!hasNews && Date.now() - refreshedAt < (isOpen ? quietMs : minuteMs)) return
    hasNews = false
    refreshedAt = Date.now()
    refresh()
  }
  look()
  const timer = setInterval(look, newsMs)
  document.addEventListener('visibilitychange', look)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
    disconnect()
  }
}

async function readEvents(opening: Promise<Response>, onEvent: (event: string | undefined) => void): Promise<void> {
  const reader = (await opening).body?.pipeThrough(new TextDecoderStream()).getReader()
  const parser = createParser({ onEvent: ({ event }) => onEvent(event) })
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) parser.feed(part.value)
}
