import type { ComponentType, VNode } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { SessionContext } from '../api/use-resource.ts'
import { reloadOnce, servedPage } from '../state/upgrade.ts'
import { Notice, Skeleton } from './notice.tsx'

type Trouble = 'none' | 'waiting' | 'broken'

/** In addition to this interval, loading is retried as soon as the server responds again. */
const retryMs = 15_000

/** A view whose code is loaded when first shown. Renders `waiting` until then. */
export function lazyView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: VNode | null = <Skeleton lines={6} height={72} />,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function LazyView(props: P) {
    const session = useContext(SessionContext)
    const [View, setView] = useState(() => loaded)
    const [trouble, setTrouble] = useState<Trouble>('none')
    // A request also fails if the device changes its network meanwhile, so the first failure means little.
    const start = () =>
      load()
        .catch(load)
        .then(
          (view) => {
            loaded = view
            setView(() => view)
          },
          async () => setTrouble(await troubleOf()),
        )
    useEffect(() => {
      if (loaded === undefined) void start()
    }, [session?.slowTick])
    useEffect(() => {
      if (trouble !== 'waiting') return
      const timer = setInterval(start, retryMs)
      return () => clearInterval(timer)
    }, [trouble])
    if (View !== undefined) return <View {...props} />
    if (trouble === 'waiting') return <Notice whole title="This view loads once Tidemark is reachable again." />
    return trouble === 'broken' ? <Broken /> : waiting
  }
}

/**
 * A server that responds without this code was upgraded, and its page refers to other code. Reloading also helps browsers that cache failed
 * imports.
 */
async function troubleOf(): Promise<Trouble> {
  if ((await servedPage()) === null) return 'waiting'
  return reloadOnce() ? 'none' : 'broken'
}

function Broken() {
  return (
    <Notice alert whole title="This part of the page could not be loaded.">
      <button type="button" class="quiet-button" onClick={() => location.reload()}>
        Reload
      </button>
    </Notice>
  )
}
