import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

type Following = { look(): Promise<void>; close(): Promise<void> }
type FollowOptions = { readonly seen: string; readonly pollMs: number; readonly changed: () => Promise<boolean> }

/**
 * Calls `changed` whenever the file is another than the one `seen` last, also where an editor replaces it whole.
 * Where `changed` answers false it is called again at the next look.
 */
export function watchFile(file: string, { seen, pollMs, changed }: FollowOptions): Following {
  const closing = new AbortController()
  let known = seen
  let looking: Promise<void> = Promise.resolve()

  async function lookOnce(): Promise<void> {
    const found = await signature(file)
    if (found !== known && (await changed())) known = found
  }
  const look = () => {
    looking = looking.then(lookOnce)
    return looking
  }
  async function lookForEver(): Promise<void> {
    while (await pause(pollMs, closing.signal)) await look()
  }

  const following = lookForEver()
  return {
    look,
    close() {
      closing.abort()
      return following
    },
  }
}

/** Another text for another file, or another state of it. */
export async function signature(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null)
  return found ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}` : 'gone'
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, true, { signal, ref: false }).catch(() => false)
}
